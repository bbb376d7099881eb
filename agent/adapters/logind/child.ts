/** A program that lives no longer than the agent, even if the agent is killed. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

export interface Child {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** What it has written to its standard error so far. */
  errors(): string;
  /** Resolves when it has ended, or could not be started. */
  readonly ended: Promise<void>;
  hasEnded(): boolean;
  /** Ends it, and waits until it has ended. */
  end(): Promise<void>;
}

/** How long a program may take to end by itself (ms). */
const PATIENCE_MS = 2000;

/** How much of its standard error is kept (characters). */
const MOST_ERRORS = 4096;

/**
 * Becomes the program that its arguments name, and leaves behind a watcher that ends it when the standard input does. The input ends
 * with the agent, however that ends.
 */
const TIED = 'exec 3<&0; (cat <&3 >/dev/null; kill "$$") >/dev/null 2>&1 & exec 3<&- </dev/null; exec "$@"';

const watched = (child: ChildProcessByStdio<Writable, Readable, Readable>): Child => {
  let errors = '';
  let hasEnded = false;
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = `${errors}${text}`.slice(-MOST_ERRORS);
  });
  // The program may be gone when its input is written to; `ended` tells.
  child.stdin.on('error', () => {});
  const ended = new Promise<void>((resolve) => {
    const end = (): void => {
      hasEnded = true;
      resolve();
    };
    child.on('error', (error) => {
      errors += error.message;
      end();
    });
    child.on('close', end);
  });
  // The watcher of a program that has ended has nothing left to do.
  const exited = once(child, 'exit').then(
    () => void child.stdin.end(),
    () => {},
  );
  const end = async (): Promise<void> => {
    if (hasEnded) return;
    const force = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    child.stdin.end();
    child.kill('SIGTERM');
    await exited;
    clearTimeout(force);
  };
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    errors: () => errors.trim(),
    ended,
    hasEnded: () => hasEnded,
    end,
  };
};

/** Starts a program that ends when its standard input does. */
export const startChild = (program: string, args: readonly string[], env: NodeJS.ProcessEnv): Child =>
  watched(spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] }));

/** Starts a program that does not read its standard input. It ends when the agent does. */
export const startTiedChild = (program: string, args: readonly string[], env: NodeJS.ProcessEnv): Child =>
  startChild('sh', ['-c', TIED, 'sh', program, ...args], env);

/** Resolves with `true` when the stream has given something, with `false` when it has ended without. */
export const hasOutput = async (child: Child): Promise<boolean> => {
  const seen = once(child.stdout, 'data').then(() => true);
  return Promise.race([seen, child.ended.then(() => false)]);
};
