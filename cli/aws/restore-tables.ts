/** `rollcall aws restore`. */
import { restoreTablesTo } from '../../shared/adapters/dynamodb/upkeep/restore/restore.ts';
import { type EpochMs, parseTime } from '../../shared/kube/values/time.ts';
import { type CommandContext, CommandError, reasonOf } from '../shell/command.ts';
import { deployedOf, type StackChoice, tablesWantedBy } from './stack-choice.ts';

const SECOND_MS = 1_000;

/** AWS restores to whole seconds. */
const instantOf = (given: string | undefined): EpochMs => {
  const at = given === undefined ? undefined : parseTime(given);
  if (at === undefined) throw new CommandError('give --at as an instant, such as 2026-05-01T12:00:00Z', 2);
  return Math.floor(at / SECOND_MS) * SECOND_MS;
};

/** The generation that is restored. Throws a `CommandError` if functions may write to it, or nobody knows which one it is. */
const pausedGeneration = async (choice: StackChoice, context: CommandContext) => {
  const { stack, generation } = choice;
  const deployed = await deployedOf(stack, context);
  if (deployed && !deployed.isPaused)
    throw new CommandError(
      `the stack ${stack} is not paused: deploy it with -c paused=true first, so that nothing is written that the restore would lose`,
    );
  const found = generation ?? deployed?.generation;
  if (found !== undefined) return { generation: found, wanted: tablesWantedBy(choice, deployed) };
  throw new CommandError(
    `there is no stack ${stack}: give the --generation of its tables; those that a stack makes are 1`,
    2,
  );
};

/** Restores the tables of the stack to an instant, and prints each step. Throws a `CommandError` that says what is in the way. */
export const restore = async (choice: StackChoice, context: CommandContext): Promise<void> => {
  const { stack } = choice;
  const at = instantOf(choice.at);
  const { generation, wanted } = await pausedGeneration(choice, context);
  try {
    const { wait, now, print: say } = context;
    await restoreTablesTo({ ...(await context.tables()), wait, now, say }, { stack, generation, at, wanted });
  } catch (error) {
    throw new CommandError(
      `${reasonOf(error)}. What was done stays; the command may be run again with the same --at`,
    );
  }
  context.print(
    [
      `generation ${generation + 1} of the tables of ${stack} is restored; generation ${generation} is as it was. Deploy with it within a day:`,
      `  npx cdk deploy -c state=kept -c stateGeneration=${generation + 1}`,
      'and then have all nodes looked at:',
      `  npx rollcall aws resync --stack ${stack}`,
    ].join('\n'),
  );
};
