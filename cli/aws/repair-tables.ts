/** `rollcall aws repair`. */
import { keptTableName } from '../../shared/adapters/dynamodb/upkeep/names.ts';
import { repairTables } from '../../shared/adapters/dynamodb/upkeep/repair.ts';
import { type CommandContext, CommandError, reasonOf } from '../shell/command.ts';
import { deployedOf, type StackChoice, tablesWantedBy } from './stack-choice.ts';

/** Does what the tables of the stack lack, and prints each step. Throws a `CommandError` that says what is in the way. */
export const repair = async (choice: StackChoice, context: CommandContext): Promise<void> => {
  const { wait, print } = context;
  const { stack, generation: given, heartbeatUnits } = choice;
  const isGiven = given !== undefined && heartbeatUnits !== undefined;
  const deployed = isGiven ? undefined : await deployedOf(stack, context);
  const generation = given ?? deployed?.generation ?? 1;
  try {
    const deps = { admin: (await context.tables()).admin, wait, say: print };
    await repairTables(
      deps,
      (table) => keptTableName(stack, table, generation),
      tablesWantedBy(choice, deployed),
    );
  } catch (error) {
    throw new CommandError(`${reasonOf(error)}. What was done stays; the command may be run again`);
  }
  print(`the tables of ${stack} are what this version needs`);
};
