/** A kubectl that is started and ended by a test, and one whose exit code counts. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { KUBECTL } from './kubectl.ts';

export interface Said {
  /** `null`: ended by a signal. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const PATIENCE_MS = 60_000;
const MOST_BYTES = 64e6;

/** Runs kubectl, or another program, to its end. */
export const kubectlSays = (
  env: NodeJS.ProcessEnv,
  words: readonly string[],
  input = '',
  program = KUBECTL,
): Promise<Said> =>
  new Promise((resolve) => {
    const options = { env, timeout: PATIENCE_MS, maxBuffer: MOST_BYTES };
    const child = execFile(program, [...words], options, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : null;
      resolve({ code: error ? code : 0, stdout, stderr });
    });
    child.stdin?.on('error', () => undefined).end(input);
  });

export interface KubectlProcess {
  /** All that it has printed. */
  readonly output: () => string;
  /** Resolves with the exit code; `null`: by a signal. */
  readonly ended: Promise<number | null>;
  say(text: string): void;
  /** Ends it by a signal, and waits for that. */
  end(): Promise<void>;
}

/** Starts a kubectl that runs on. Its standard input stays open. */
export const startKubectl = (
  env: NodeJS.ProcessEnv,
  words: readonly string[],
  program = KUBECTL,
): KubectlProcess => {
  const child = spawn(program, words, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (piece: string) => {
      output += piece;
    });
  child.stdin.on('error', () => undefined);
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    output: () => output,
    ended,
    say: (text) => void child.stdin.write(text),
    end: async () => {
      child.kill();
      await ended;
    },
  };
};

/** The local port of a `kubectl port-forward`, as soon as it has told it. */
export const forwardedPort = ({ output }: KubectlProcess): number | undefined =>
  Number(/127\.0\.0\.1:(\d+) ->/.exec(output())?.[1] ?? 0) || undefined;
