/** What the service of an agent starts. */
import { realpathSync } from 'node:fs';
import { CommandError } from './command.ts';
import { SMALL_HEAP } from './small-heap.ts';

const checkPlace = (program: string): void => {
  if (/[\\/]_npx[\\/]/.test(program))
    throw new CommandError(
      `npx keeps ${program} in a folder that it clears now and then: install the package first, with "npm install --global" and the file or folder that it comes from, and run "rollcall agent install"`,
    );
};

/** This executable, if the agent is one; or this Node, with the flags for memory, and this program. All paths are full. */
export const serviceProgram = (
  { execPath, argv }: Pick<NodeJS.Process, 'execPath' | 'argv'>,
  isAlone: boolean,
): readonly string[] => {
  if (isAlone) return [execPath];
  const program = realpathSync(argv[1] ?? '');
  checkPlace(program);
  return [execPath, ...SMALL_HEAP, program];
};
