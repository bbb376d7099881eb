/** Commands in a world where nothing is there but what a test puts into it. */

import { main } from '../../../cli/main.ts';
import type { CommandContext } from '../../../cli/shell/command.ts';

const missing = async (): Promise<never> => Promise.reject(new Error('no such thing'));

export const createCommandWorld = (world: Partial<CommandContext> = {}) => {
  const [printed, complaints]: [string[], string[]] = [[], []];
  const context: CommandContext = {
    env: {},
    now: () => 0,
    wait: missing,
    print: (text) => printed.push(text),
    complain: (text) => complaints.push(text),
    readFile: missing,
    readFirstLine: missing,
    writeFile: missing,
    startSmall: () => undefined,
    startLarge: () => undefined,
    readSecret: missing,
    writeSecret: missing,
    stackOutputs: missing,
    tables: missing,
    invoke: missing,
    fetch: missing,
    ...world,
  };
  return { context, printed, complaints };
};

/** Runs a command line; its words are parted by single spaces. */
export const runCommandLine = async (line: string, world: Partial<CommandContext> = {}) => {
  const { context, printed, complaints } = createCommandWorld(world);
  const code = await main(line.split(' '), context);
  return { code, printed: printed.join('\n'), complaint: complaints.join('\n') };
};
