/** What the keeper of a container is asked for. Source: conmon `src/ctrl.c`: lines of three numbers. */
import { closeSync, constants, existsSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { TerminalSize } from '../../../ports/machine/container-streams.ts';
import type { Place } from '../../containers/places.ts';
import { isWithin, rotateLog } from '../../cri/logs.ts';
import type { OciParts } from '../containers/parts.ts';
import { attemptFolder } from '../containers/records.ts';
import { stillRunning } from '../containers/running.ts';

const PIPE = 'ctl';
const LOOK_MS = 20;
/** How long a keeper may take to open a new log (ms). */
const REOPEN_MS = 2_000;

/**
 * Bytes of a line, and of all that a keeper reads at once. Before June 2025 it took the first line of what it had read for each of the others,
 * too, so it must not read two of them. Source: conmon `src/ctrl.c` `CTLBUFSZ`, and its pull request 566.
 */
const LINE_BYTES = 199;

const lineOf = (words: readonly number[]): string => `${words.join(' ').padEnd(LINE_BYTES - 1)}\n`;

/** Without waiting, all lines at once. Throws if no keeper reads the pipe. */
const send = (attempt: string, ...lines: readonly string[]): void => {
  const pipe = openSync(join(attempt, PIPE), constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    writeSync(pipe, lines.join(''));
  } finally {
    closeSync(pipe);
  }
};

/** There is no keeper any more, and so nothing more to write. */
const isGone = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ENOENT', 'ENXIO'].includes(String(error.code));

/** Whether there is a keeper that reads it. */
const sent = (attempt: string, ...lines: readonly string[]): boolean => {
  try {
    send(attempt, ...lines);
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
};

/**
 * Gives the terminal of a container a size. One that has ended has none. A keeper hands sizes on to itself by another pipe, in which no two may
 * wait, either: it empties that pipe once for each line that it reads here, so each size comes twice, and the second time is for the pipe.
 */
export const resizeTerminal = (attempt: string, { width, height }: TerminalSize): void => {
  const line = lineOf([1, height, width]);
  try {
    sent(attempt, line, line);
  } catch {
    // A pipe that is full is one more that nothing reads.
  }
};

/** Has the keeper begin its log anew, and waits for the file. Rejects if it does not come. */
export const reopenLog = async (attempt: string, logFile: string): Promise<void> => {
  if (!sent(attempt, lineOf([2, 0, 0]))) return;
  for (let waited = 0; !existsSync(logFile); waited += LOOK_MS) {
    if (waited >= REOPEN_MS) throw new Error(`conmon did not reopen ${logFile}`);
    await wait(LOOK_MS);
  }
};

/** Keeps the logs of containers that run within their bounds. Nothing but its log is looked at of a container whose log is short. */
export const rotateLogs = async (
  parts: Pick<OciParts, 'running' | 'logs' | 'now'>,
  placeOf: (id: string) => Place | undefined,
  report: (error: unknown) => void,
): Promise<void> => {
  const { running, logs, now } = parts;
  for (const [id, { record }] of [...running]) {
    const { logFile } = record;
    const place = isWithin(logFile, logs) ? undefined : placeOf(id);
    if (!place || !stillRunning(running, place)) continue;
    await rotateLog(logFile, logs, now(), () => reopenLog(attemptFolder(place, record), logFile)).catch(
      report,
    );
  }
};
