import type { LogLine } from '../rules/logs/cri-line.ts';

/** The lines of one container's log, oldest first, from where reading begins. */
export interface LogSource {
  /** The next lines; none: there are no more at the moment. */
  next(): Promise<readonly LogLine[]>;
  /** What was written behind the last end of a line; the container has ended, or nobody waits. */
  rest(): readonly LogLine[];
  close(): Promise<void>;
}

/** How much is read at once, and the longest piece of a line (bytes). */
export const CHUNK = 64 * 1024;
