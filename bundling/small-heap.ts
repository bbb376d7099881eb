/** The agent makes little garbage, and has time: with these flags of Node it takes less memory. */
import { isSea } from 'node:sea';

/** A young generation of 1 MB, and code that is small rather than fast. */
export const SMALL_HEAP = ['--max-semi-space-size=1', '--optimize-for-size'];

/** Whether this process is a single executable, which is started without a program's path. */
export const isExecutable = (): boolean => isSea();

/** How this program is started with the flags: a Node takes them as they are, an executable in one argument. */
const smallCommand = ({ execPath, execArgv, argv } = process): readonly string[] =>
  isExecutable()
    ? [execPath, `--node-options=${SMALL_HEAP.join(' ')}`, ...argv.slice(2)]
    : [execPath, ...execArgv, ...SMALL_HEAP, ...argv.slice(1)];

/**
 * Becomes the same program with these flags, in the same process: V8 reads them only when it starts. A Node that cannot become another
 * program (before 22.15) goes on without them.
 */
export const startSmall = (): void => {
  const { execve, execPath, execArgv, env } = process;
  if (typeof execve !== 'function' || SMALL_HEAP.every((flag) => execArgv.includes(flag))) return;
  execve.call(process, execPath, smallCommand(), env);
};
