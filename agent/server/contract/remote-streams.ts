/** The streams of exec and attach, whichever way they came. Source: kubernetes v1.34 pkg/kubelet/cri/streaming/remotecommand. */
import type { Duplex, Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { StreamedProcess, TerminalSize, WantedStreams } from '../../ports/machine/container-streams.ts';

/** The client's ends. Only those that it wants are there. */
export interface RemoteStreams {
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  readonly stderr?: Writable;
  onResize(callback: (size: TerminalSize) => void): void;
  /** Tells how it ended, and ends the connection. */
  finish(status: object): Promise<void>;
}

/** Whether the parameter has one of the values that mean yes here. Source: kubernetes v1.34 pkg/kubelet/cri/streaming/remotecommand `NewOptions`. */
const isOne = (query: URLSearchParams, name: string): boolean => query.get(name) === '1';

/** What the query of exec or attach asks for; `undefined`: nothing. */
export const wantedStreams = (query: URLSearchParams): WantedStreams | undefined => {
  const tty = isOne(query, 'tty');
  const wanted = {
    stdin: isOne(query, 'input'),
    stdout: isOne(query, 'output'),
    tty,
    stderr: isOne(query, 'error') && !tty,
  };
  return wanted.stdin || wanted.stdout || wanted.stderr ? wanted : undefined;
};

const SUCCESS = { metadata: {}, status: 'Success' } as const;

/** How a command ended, as clients of Kubernetes read it. */
export const exitStatus = (code: number): object =>
  code === 0
    ? SUCCESS
    : {
        metadata: {},
        status: 'Failure',
        reason: 'NonZeroExitCode',
        message: `command terminated with non-zero exit code: exit status ${code}`,
        details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
      };

/** Why a command could not run. */
export const errorStatus = (error: unknown): object => {
  const message = `Internal error occurred: ${error instanceof Error ? error.message : String(error)}`;
  const details = { causes: [{ message }] };
  return { metadata: {}, status: 'Failure', reason: 'InternalError', message, details, code: 500 };
};

const quietly = (work: Promise<unknown>): Promise<unknown> => work.catch(() => undefined);

const carryOutput = (from: Readable | undefined, to: Writable | undefined): Promise<unknown> =>
  from && to ? quietly(pipeline(from, to)) : Promise.resolve();

/**
 * Carries the streams between a client and a process, each as fast as its reader. Resolves when the process has ended, and all that it said
 * was sent. A process whose client has gone is ended.
 */
export const carry = async (
  streams: RemoteStreams,
  process: StreamedProcess,
  signal: AbortSignal,
): Promise<void> => {
  if (signal.aborted) process.end();
  signal.addEventListener('abort', process.end, { once: true });
  streams.onResize(process.resize);
  // Of a client that sends no more, the process sees the end; the rest goes on.
  if (streams.stdin && process.stdin) void quietly(pipeline(streams.stdin, process.stdin));
  const outputs = [carryOutput(process.stdout, streams.stdout), carryOutput(process.stderr, streams.stderr)];
  const status = await process.ended.then(exitStatus, errorStatus);
  await Promise.all(outputs);
  signal.removeEventListener('abort', process.end);
  if (!signal.aborted) await streams.finish(status);
};

/** Two connections that become one: bytes go both ways as fast as they are read, and both end together. */
export const join = async (a: Duplex, b: Duplex): Promise<void> => {
  await Promise.all([quietly(pipeline(a, b)), quietly(pipeline(b, a))]);
  a.destroy();
  b.destroy();
};
