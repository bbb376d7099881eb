/** A process behind the streaming server of a container runtime, which speaks as a kubelet does over SPDY/3.1. */
import { request } from 'node:http';
import type { Duplex } from 'node:stream';
import type { StreamedProcess, WantedStreams } from '../../ports/machine/container-streams.ts';
import { NodeFault } from '../contract/handlers.ts';
import { createSpdyConnection } from './connection.ts';
import type { SpdyStream } from './stream.ts';

/** How long the runtime may take to answer (ms). */
const CONNECT_MS = 10_000;
/** Longest `Status` that is read (bytes). */
const MOST_STATUS_BYTES = 64 * 1024;

/** The connection after its change to SPDY/3.1. Rejects with a `NodeFault` if the runtime refuses. */
export const spdySocket = (url: URL, protocol: string): Promise<Duplex> =>
  new Promise((resolve, reject) => {
    const asked = request(url, {
      method: 'POST',
      headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': protocol },
      timeout: CONNECT_MS,
    });
    asked.once('timeout', () => asked.destroy(new NodeFault(504, 'the container runtime does not answer')));
    asked.once('error', reject);
    asked.once('response', (response) => {
      response.resume();
      reject(new NodeFault(500, `the container runtime answered ${response.statusCode ?? 0}`));
    });
    asked.once('upgrade', (_, socket, head) => {
      socket.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    asked.end();
  });

interface Told {
  readonly status?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly details?: { readonly causes?: readonly { readonly reason?: string; readonly message?: string }[] };
}

const exitCodeIn = ({ status, message, details }: Told): number => {
  if (status === 'Success') return 0;
  const cause = details?.causes?.find(({ reason }) => reason === 'ExitCode');
  const code = Number(cause?.message);
  if (cause && Number.isInteger(code)) return code;
  throw new Error(message ?? 'the container runtime does not say how the command ended');
};

const textOf = async (stream: SpdyStream): Promise<string> => {
  let text = '';
  for await (const chunk of stream) {
    text += String(chunk);
    if (text.length > MOST_STATUS_BYTES) throw new Error('the container runtime said too much about its end');
  }
  return text;
};

/** Rejects if the runtime cannot be reached. */
export const runtimeProcess = async (url: URL, wanted: WantedStreams): Promise<StreamedProcess> => {
  const socket = await spdySocket(url, 'v4.channel.k8s.io');
  const connection = createSpdyConnection(socket, { isClient: true, onStream: (stream) => stream.destroy() });
  const opened = (type: string): SpdyStream => connection.open({ streamtype: type });
  const error = opened('error');
  const stdin = wanted.stdin ? opened('stdin') : undefined;
  const stdout = wanted.stdout ? opened('stdout') : undefined;
  const stderr = wanted.stderr ? opened('stderr') : undefined;
  const resize = wanted.tty ? opened('resize') : undefined;
  const ended = textOf(error).then((text) => {
    if (text === '') throw new Error('the connection to the container runtime has ended');
    return exitCodeIn(JSON.parse(text) as Told);
  });
  void ended.catch(() => {}).then(() => resize?.end());
  return {
    ...(stdin && { stdin }),
    ...(stdout && { stdout }),
    ...(stderr && { stderr }),
    ended,
    resize: ({ width, height }) => void resize?.write(JSON.stringify({ Width: width, Height: height })),
    end: () => socket.destroy(),
  };
};
