/** The heap of a program. V8 reads its flags only when it starts: one that is set later (`v8.setFlagsFromString`) changes nothing. */
import { totalmem } from 'node:os';
import { isSea } from 'node:sea';

/**
 * For the agent, which makes little garbage and has time: a young generation of 1 MB, code that is small rather than fast, and one thread that
 * collects, because to wake the others takes longer than so little garbage.
 */
export const SMALL_HEAP = ['--max-semi-space-size=1', '--optimize-for-size', '--single-threaded-gc'];

/** For a host with `MANY_NODES`: MB. By itself V8 ends a program at 4 GB, however large the machine is. */
export const LARGE_HEAP = ['--max-old-space-size=5500'];

/** A host with more nodes at its start gets the large heap. */
export const MANY_NODES = 300_000;

/** Bytes of memory that a machine has at least, if a program on it gets the large heap: one that has less ends programs by itself. */
const LEAST_MEMORY = 8_000_000_000;

/** Whether this process is a single executable, which is started without a program's path. */
export const isExecutable = (): boolean => isSea();

type Started = Pick<NodeJS.Process, 'execPath' | 'execArgv' | 'argv'>;

/** How a program is started again with further flags: a Node takes them as they are, an executable in one argument. */
export const commandWith = (
  flags: readonly string[],
  { execPath, execArgv, argv }: Started,
  isOneFile: boolean,
): readonly string[] =>
  isOneFile
    ? [execPath, `--node-options=${flags.join(' ')}`, ...argv.slice(2)]
    : [execPath, ...execArgv, ...flags, ...argv.slice(1)];

/**
 * Becomes the same program with these flags, in the same process. A Node that cannot become another program (before 22.15) goes on
 * without them.
 */
const startWith = (flags: readonly string[]): void => {
  const { execve, execPath, execArgv, env } = process;
  if (typeof execve !== 'function' || flags.every((flag) => execArgv.includes(flag))) return;
  execve.call(process, execPath, commandWith(flags, process, isExecutable()), env);
};

/** Whether somebody has set a limit, or the machine has too little memory for the large heap. */
export const keepsHeap = (
  { execArgv, env }: Pick<NodeJS.Process, 'execArgv' | 'env'>,
  memoryBytes: number,
): boolean =>
  [...execArgv, env['NODE_OPTIONS'] ?? ''].some((flags) => flags.includes('max-old-space-size')) ||
  memoryBytes < LEAST_MEMORY;

/** Becomes the same program with the small heap, see `startWith`. */
export const startSmall = (): void => startWith(SMALL_HEAP);

/** Becomes the same program with the large heap, unless it keeps its own, see `startWith`. */
export const startLarge = (): void => {
  const limit = process.constrainedMemory();
  // 0: there is no limit, or it is unknown.
  const memoryBytes = Math.min(totalmem(), limit === 0 ? Number.POSITIVE_INFINITY : limit);
  if (!keepsHeap(process, memoryBytes)) startWith(LARGE_HEAP);
};
