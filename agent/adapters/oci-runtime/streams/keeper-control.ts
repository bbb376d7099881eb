/** What the keeper of a container is asked for. Source: conmon `src/ctrl.c`: lines of three numbers. */
import { closeSync, constants, existsSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { TerminalSize } from '../../../ports/machine/container-streams.ts';

const PIPE = 'ctl';
const LOOK_MS = 20;
/** How long a keeper may take to open a new log (ms). */
const REOPEN_MS = 2_000;

/** Without waiting. Throws if no keeper reads the pipe. */
const send = (attempt: string, ...words: readonly number[]): void => {
  const pipe = openSync(join(attempt, PIPE), constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    writeSync(pipe, `${words.join(' ')}\n`);
  } finally {
    closeSync(pipe);
  }
};

/** There is no keeper any more, and so nothing more to write. */
const isGone = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ENOENT', 'ENXIO'].includes(String(error.code));

/** Whether a keeper has read it. */
const sent = (attempt: string, ...words: readonly number[]): boolean => {
  try {
    send(attempt, ...words);
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
};

/** When the newest size of a terminal is sent again, by the folder of its attempt. */
const repeats = new Map<string, NodeJS.Timeout>();
const REPEAT_MS = 200;

/** A pipe that is full is one more that nothing reads. */
const sentQuietly = (attempt: string, { width, height }: TerminalSize): void => {
  try {
    sent(attempt, 1, height, width);
  } catch {
    // The next size is sent as well.
  }
};

/**
 * Gives the terminal of a container a size. One that has ended has none. A kubectl sends two at once, of which the second counts, and a
 * keeper may take the first of them last: the newest is sent again.
 */
export const resizeTerminal = (attempt: string, size: TerminalSize): void => {
  clearTimeout(repeats.get(attempt));
  sentQuietly(attempt, size);
  const again = setTimeout(() => {
    repeats.delete(attempt);
    sentQuietly(attempt, size);
  }, REPEAT_MS);
  repeats.set(attempt, again.unref());
};

/** Has the keeper begin its log anew, and waits for the file. Rejects if it does not come. */
export const reopenLog = async (attempt: string, logFile: string): Promise<void> => {
  if (!sent(attempt, 2, 0, 0)) return;
  for (let waited = 0; !existsSync(logFile); waited += LOOK_MS) {
    if (waited >= REOPEN_MS) throw new Error(`conmon did not reopen ${logFile}`);
    await wait(LOOK_MS);
  }
};
