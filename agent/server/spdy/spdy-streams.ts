/** The streams of exec and attach over SPDY/3.1, as kubectl before 1.30 opens them. Source: kubernetes v1.34 pkg/kubelet/cri/streaming/remotecommand. */
import type { TerminalSize, WantedStreams } from '../../ports/machine/container-streams.ts';
import { NodeFault, type Upgrade } from '../contract/handlers.ts';
import type { RemoteStreams } from '../contract/remote-streams.ts';
import { createSpdyConnection } from './connection.ts';
import type { SpdyStream } from './stream.ts';
import { acceptSpdy } from './upgrade.ts';

/** The one that tells how it ended as a `Status`. */
const PROTOCOL = 'v4.channel.k8s.io';
/** How long the client may take to open its streams (ms). Source: the same, `streamCreationTimeout`. */
const CREATION_MS = 30_000;
/** Longest message about the size of a terminal (bytes). */
const MOST_SIZE_BYTES = 1024;

const expectedOf = ({ stdin, stdout, stderr, tty }: WantedStreams): readonly string[] => [
  'error',
  ...(stdin ? ['stdin'] : []),
  ...(stdout ? ['stdout'] : []),
  ...(stderr ? ['stderr'] : []),
  ...(tty ? ['resize'] : []),
];

const sizeIn = (text: string): TerminalSize | undefined => {
  const { Width: width, Height: height } = JSON.parse(text) as {
    readonly Width?: unknown;
    readonly Height?: unknown;
  };
  const isSize = [width, height].every(
    (one) => Number.isInteger(one) && Number(one) > 0 && Number(one) < 65_536,
  );
  return isSize ? { width: Number(width), height: Number(height) } : undefined;
};

/** One JSON object after another. */
const readSizes = async (
  stream: SpdyStream | undefined,
  onSize: (size: TerminalSize) => void,
): Promise<void> => {
  let text = '';
  for await (const chunk of stream ?? []) {
    text += String(chunk);
    const parts = text.split('}');
    text = parts.pop() ?? '';
    if (text.length > MOST_SIZE_BYTES) return;
    for (const part of parts) {
      const size = sizeIn(`${part}}`);
      if (size) onSize(size);
    }
  }
};

export const spdyStreams = async (upgrade: Upgrade, wanted: WantedStreams): Promise<RemoteStreams> => {
  const socket = acceptSpdy(upgrade, PROTOCOL);
  const expected = expectedOf(wanted);
  const found = new Map<string, SpdyStream>();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const connection = createSpdyConnection(socket, {
    onStream: (stream) => {
      const type = stream.headers['streamtype'] ?? '';
      if (!expected.includes(type) || found.has(type)) {
        stream.destroy();
        return;
      }
      found.set(type, stream);
      if (found.size === expected.length) resolve();
    },
  });
  const timer = setTimeout(
    () => reject(new NodeFault(408, 'timed out waiting for client to create streams')),
    CREATION_MS,
  );
  void connection.closed.then(() => reject(new NodeFault(400, 'the client has gone')));
  try {
    await promise;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  const [stdin, stdout, stderr, told] = ['stdin', 'stdout', 'stderr', 'error'].map((type) => found.get(type));
  return {
    ...(stdin && { stdin }),
    ...(stdout && { stdout }),
    ...(stderr && { stderr }),
    onResize: (callback) => void readSizes(found.get('resize'), callback).catch(() => {}),
    finish: async (status) => {
      // Not before: a client takes this for the end of the command, and sends no more.
      stdin?.end();
      await new Promise<void>((done) => told?.end(JSON.stringify(status), () => done()));
      connection.end();
    },
  };
};
