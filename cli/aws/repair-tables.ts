/** `rollcall aws repair`. */
import { keptTableName } from '../../shared/adapters/dynamodb/upkeep/names.ts';
import { repairTables } from '../../shared/adapters/dynamodb/upkeep/repair.ts';
import { type CommandContext, CommandError, reasonOf } from '../shell/command.ts';

/** Does what the tables of the stack lack, and prints each step. Throws a `CommandError` that says what is in the way. */
export const repair = async (stack: string, context: CommandContext): Promise<void> => {
  const { wait, print } = context;
  try {
    const deps = { admin: await context.tables(), wait, say: print };
    await repairTables(deps, (table) => keptTableName(stack, table));
  } catch (error) {
    throw new CommandError(`${reasonOf(error)}. What was done stays; the command may be run again`);
  }
  print(`the tables of ${stack} are what this version needs`);
};
