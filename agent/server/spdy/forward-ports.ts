/** Forwards connections to ports of a pod. Source: kubernetes v1.34 pkg/kubelet/cri/streaming/portforward `httpstream.go`. */
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PodNetwork } from '../../ports/machine/container-streams.ts';
import { createSpdyConnection } from './connection.ts';
import type { SpdyStream } from './stream.ts';

/** How long the second stream of a connection may be late (ms). Source: the same, `defaultStreamCreationTimeout`. */
const PAIR_MS = 30_000;
/** Longest id of a pair (characters). Clients of Kubernetes count from 0. */
const MOST_ID_LENGTH = 128;

interface Pair {
  error?: SpdyStream;
  data?: SpdyStream;
  readonly timer: NodeJS.Timeout;
}

const portIn = ({ headers }: SpdyStream): number | undefined => {
  const port = /^\d{1,5}$/.test(headers['port'] ?? '') ? Number(headers['port']) : 0;
  return port > 0 && port < 65_536 ? port : undefined;
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const quietly = (work: Promise<unknown>): Promise<unknown> => work.catch(() => undefined);

const refuse = (pair: Required<Pick<Pair, 'error' | 'data'>>, message: string): void => {
  pair.error.end(message);
  pair.data.end();
  pair.data.resume();
};

/** What the client sends goes to the port, and what comes from there back, as fast as each side reads. */
const forward = async (
  { error, data }: Required<Pick<Pair, 'error' | 'data'>>,
  network: PodNetwork,
  name: string,
): Promise<void> => {
  const port = portIn(data);
  if (port === undefined)
    return refuse({ error, data }, `port "${data.headers['port'] ?? ''}" must be a number from 1 to 65535`);
  let connection: Duplex;
  try {
    connection = await network.dial(port);
  } catch (fault) {
    return refuse(
      { error, data },
      `error forwarding port ${port} to pod ${name}, uid : failed to connect to localhost:${port}: ${messageOf(fault)}`,
    );
  }
  data.once('close', () => connection.destroy());
  await Promise.all([quietly(pipeline(data, connection)), quietly(pipeline(connection, data))]);
  connection.destroy();
  error.end();
};

const PAIRED = ['error', 'data'] as const;

/** Puts the streams of one connection together, which have one id. */
const pairing = (onPair: (pair: Required<Pick<Pair, 'error' | 'data'>>) => void) => {
  const pairs = new Map<string, Pair>();
  const giveUp = (id: string): void => {
    const { error, data, timer } = pairs.get(id) ?? {};
    clearTimeout(timer);
    pairs.delete(id);
    for (const one of [error, data]) one?.destroy();
  };
  const begin = (id: string): Pair => {
    const pair = { timer: setTimeout(() => giveUp(id), PAIR_MS) };
    pairs.set(id, pair);
    return pair;
  };
  const onStream = (stream: SpdyStream): void => {
    const { streamtype, requestid: id = '' } = stream.headers;
    const type = PAIRED.find((one) => one === streamtype);
    if (type === undefined || id.length > MOST_ID_LENGTH || pairs.get(id)?.[type]) {
      stream.destroy();
      return;
    }
    const pair = pairs.get(id) ?? begin(id);
    pair[type] = stream;
    stream.once('close', () => {
      if (pairs.get(id) === pair) giveUp(id);
    });
    // The client sends nothing by it.
    if (type === 'error') stream.resume();
    const { error, data } = pair;
    if (!error || !data) return;
    clearTimeout(pair.timer);
    pairs.delete(id);
    onPair({ error, data });
  };
  const close = (): void => {
    for (const { timer } of pairs.values()) clearTimeout(timer);
  };
  return { onStream, close };
};

/** Serves a connection until its client ends it. `name`: of the pod, for people. */
export const forwardPorts = async (socket: Duplex, network: PodNetwork, name: string): Promise<void> => {
  const { onStream, close } = pairing((pair) => void forward(pair, network, name));
  await createSpdyConnection(socket, { onStream }).closed;
  close();
};
