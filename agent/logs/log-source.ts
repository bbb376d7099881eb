import type { LogLine } from '../rules/logs/cri-line.ts';

/** The lines of one container's log, oldest first, from where reading begins. */
export interface LogSource {
  /** The next lines; none: there are no more at the moment. */
  next(): Promise<readonly LogLine[]>;
  /** What was written behind the last end of a line; the container has ended, or nobody waits. */
  rest(): readonly LogLine[];
  close(): Promise<void>;
}

/** How far back from its end a log is searched for its last lines (bytes). Its program can give it any length. */
export const MOST_SEARCHED = 256 * 1024 * 1024;

/** How much is read at once, and the longest piece of a line (bytes). */
export const CHUNK = 64 * 1024;
