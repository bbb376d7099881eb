/** Programs of the base system that walk through hostile trees: what they take and say is bounded. */

import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { printable } from '../../../../shared/kube/text/printable.ts';
import { DEFAULT_PATH } from '../../../rules/machine/default-path.ts';

/** How a program ended. */
export interface ChildEnd {
  /** `undefined`: it was killed, did not end in time, or could not be started. */
  readonly code?: number;
  /** Why it could not be started; absent if it was. */
  readonly startFault?: string;
  readonly isTimedOut: boolean;
  /** At most as much as was asked for (bytes). */
  readonly output: Buffer;
  /** The beginning of its standard error, in one line without control characters: at most 1 KiB. */
  readonly errorText: string;
}

export interface ChildBounds {
  readonly timeoutMs: number;
  /** Bytes of its standard output that are kept. */
  readonly mostOutput?: number;
  /** Kills it. */
  readonly signal?: AbortSignal;
  /** It gets a group of processes of its own, and is killed with all that it has started there. */
  readonly endsGroup?: boolean;
  readonly environment?: NodeJS.ProcessEnv;
  /** Hears of all that it writes to its standard error. */
  readonly onError?: (chunk: Buffer) => void;
}

const MOST_ERROR = 1024;

/** The text as one line without control characters, at most 1 KiB of it. */
export const shortText = (text: string): string => printable(text.slice(0, MOST_ERROR)).slice(0, MOST_ERROR);

/** The first bytes of a stream; the rest is read, and forgotten. */
const createHead = (most: number) => {
  let kept: Buffer = Buffer.alloc(0);
  return {
    add: (chunk: Buffer): void => {
      if (kept.length < most) kept = Buffer.concat([kept, chunk.subarray(0, most - kept.length)]);
    },
    bytes: (): Buffer => kept,
  };
};

/** Messages are those of the C locale. */
const environment = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'] ?? DEFAULT_PATH,
  LC_ALL: 'C',
});

/** Its leader is there as long as it was not waited for, so the number of the group is of no other one. */
const killGroupOf = (child: ChildProcess): void => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
};

const killChild = (child: ChildProcess): void => {
  child.kill('SIGKILL');
};

const running = new Map<ChildProcess, (child: ChildProcess) => void>();

const killAll = (): void => {
  for (const [child, kill] of running) kill(child);
};

/** Lets the agent end while the program runs, and ends the program with the agent. */
const tie = (child: ChildProcess, kill: (child: ChildProcess) => void): void => {
  if (running.size === 0) process.once('exit', killAll);
  running.set(child, kill);
  child.unref();
  for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref();
  const untie = (): void => {
    running.delete(child);
    if (running.size === 0) process.off('exit', killAll);
  };
  child.once('error', untie).once('exit', untie);
};

/** Runs a program. A program that the kernel does not let go of is not waited for: its time is over all the same. Never rejects. */
export const runBounded = (
  program: string,
  args: readonly string[],
  bounds: ChildBounds,
): Promise<ChildEnd> => {
  const { timeoutMs, mostOutput = 0, signal, onError, endsGroup = false } = bounds;
  const [output, errors] = [createHead(mostOutput), createHead(MOST_ERROR)];
  const env = bounds.environment ?? environment();
  const child = spawn(program, args, {
    cwd: '/',
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: endsGroup,
  });
  const killAtOnce = endsGroup ? killGroupOf : killChild;
  tie(child, killAtOnce);
  child.stdout.on('data', output.add);
  child.stderr.on('data', (chunk: Buffer) => {
    errors.add(chunk);
    onError?.(chunk);
  });
  return new Promise((resolve) => {
    const end = (how: Pick<ChildEnd, 'code' | 'startFault'> & { readonly isTimedOut?: boolean }): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', kill);
      const errorText = shortText(errors.bytes().toString().trim());
      resolve({ isTimedOut: false, output: output.bytes(), errorText, ...how });
    };
    const kill = (): void => {
      killAtOnce(child);
      end({ isTimedOut: true });
    };
    const timer = setTimeout(kill, timeoutMs).unref();
    signal?.addEventListener('abort', kill, { once: true });
    child.once('error', (error) => end({ startFault: shortText(error.message) }));
    child.once('close', (code) => end(code === null ? {} : { code }));
    if (signal?.aborted) kill();
  });
};
