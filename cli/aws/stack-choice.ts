/** Which tables of which stack a command works on. */

import { type CommandContext, CommandError, reasonOf } from '../shell/command.ts';
import { generationIn, isPausedIn } from './stack-state.ts';

/** What a command line chooses. */
export interface StackChoice {
  readonly stack: string;
  /** Absent: that of the stack. */
  readonly generation?: number | undefined;
  /** An instant, as it was given. */
  readonly at?: string | undefined;
}

/** A stack as it is deployed; absent: there is none. */
interface Deployed {
  readonly generation: number;
  readonly isPaused: boolean;
}

/** What is deployed. Throws a `CommandError` if that cannot be read. */
export const deployedOf = async (
  stack: string,
  { stackOutputs }: CommandContext,
): Promise<Deployed | undefined> => {
  try {
    const outputs = await stackOutputs(stack);
    return { generation: generationIn(outputs), isPaused: isPausedIn(outputs) };
  } catch (error) {
    const reason = reasonOf(error);
    if (/does not exist/i.test(reason)) return undefined;
    throw new CommandError(`cannot read the stack ${stack}: ${reason}`);
  }
};
