/** `rollcall aws resync`. */
import { type CommandContext, CommandError, reasonOf } from '../shell/command.ts';
import type { StackChoice } from './stack-choice.ts';
import { isPausedIn } from './stack-state.ts';

/** What the change router says of a resync. */
interface Resynced {
  readonly nodes: number;
  readonly messages: number;
}

/** The name of the function. Throws a `CommandError` that says why it is not to be started. */
const routerOf = async (stack: string, { stackOutputs }: CommandContext): Promise<string> => {
  const outputs = await stackOutputs(stack).catch((error: unknown) => {
    throw new CommandError(`cannot read the stack ${stack}: ${reasonOf(error)}`);
  });
  if (isPausedIn(outputs))
    throw new CommandError(
      `the stack ${stack} is paused, and nobody handles messages: deploy it without -c paused=true first`,
    );
  const name = outputs['RouterName'];
  if (name) return name;
  throw new CommandError(
    `the stack ${stack} has no output RouterName: deploy this version first; a stack without controllers has no messages`,
  );
};

/** Has the messages of all nodes sent at once, and prints how many there were. Throws a `CommandError` if that fails. */
export const resync = async ({ stack }: StackChoice, context: CommandContext): Promise<void> => {
  const router = await routerOf(stack, context);
  // What the rule sends each hour has no schedule either: the change router has this one only.
  const answer = await context.invoke(router, { source: 'rollcall.aws' }).catch((error: unknown) => {
    throw new CommandError(
      `the resync of ${stack} has failed: ${reasonOf(error)}. It may be run again; the log of ${router} says more`,
    );
  });
  const { nodes, messages } = answer as Resynced;
  context.print(`${nodes} nodes were looked at, and ${messages} messages were sent`);
};
