/** What a service starts. */
import { realpathSync } from 'node:fs';
import { CommandError } from '../shell/command.ts';

const checkPlace = (program: string): void => {
  if (/[\\/]_npx[\\/]/.test(program))
    throw new CommandError(
      `npx keeps ${program} in a folder that it clears now and then: install the package first, with "npm install --global" and the file or folder that it comes from, and run this command of it`,
    );
};

/** This executable, if it is one; or this Node, with flags of Node, and this program. All paths are full. */
export const serviceProgram = (
  { execPath, argv }: Pick<NodeJS.Process, 'execPath' | 'argv'>,
  isAlone: boolean,
  flags: readonly string[] = [],
): readonly string[] => {
  if (isAlone) return [execPath];
  const program = realpathSync(argv[1] ?? '');
  checkPlace(program);
  return [execPath, ...flags, program];
};
