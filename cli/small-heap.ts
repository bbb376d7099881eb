/** The agent makes little garbage, and has time: with these flags of Node it takes less memory. */
import { isSea } from 'node:sea';

/** A young generation of 1 MB, and code that is small rather than fast. */
export const SMALL_HEAP = ['--max-semi-space-size=1', '--optimize-for-size'];

/** Whether this process is the single executable: it has its flags, and takes none. */
export const isExecutable = (): boolean => isSea();

/**
 * Becomes the same program with these flags, in the same process: V8 reads them only when it starts. A Node that cannot become another
 * program (before 22.15) goes on without them.
 */
export const startSmall = (): void => {
  const { execve, execPath, execArgv, argv, env } = process;
  if (isExecutable() || typeof execve !== 'function') return;
  if (SMALL_HEAP.every((flag) => execArgv.includes(flag))) return;
  execve.call(process, execPath, [execPath, ...execArgv, ...SMALL_HEAP, ...argv.slice(1)], env);
};
