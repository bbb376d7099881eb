/** WebSockets of clients. */
import type { IncomingMessage } from 'node:http';
import { type Duplex, Readable, Writable } from 'node:stream';
import { createWebSocketStream, type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { TerminalSize, WantedStreams } from '../ports/machine/container-streams.ts';
import { askWhileUnread } from './contract/ask-client.ts';
import { NodeFault, type Upgrade } from './contract/handlers.ts';
import type { RemoteStreams } from './contract/remote-streams.ts';

/** A message is held in memory as a whole. Clients send at most 32 KB at once. */
const MOST_MESSAGE_BYTES = 1024 * 1024;
const [STDIN, STDOUT, STDERR, ERROR, RESIZE, CLOSE] = [0, 1, 2, 3, 4, 255];
const NORMAL = 1000;

export const isWebSocket = ({ headers }: IncomingMessage): boolean =>
  (headers.upgrade ?? '').toLowerCase() === 'websocket';

const offeredBy = ({ headers }: IncomingMessage): readonly string[] =>
  String(headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((one) => one.trim());

/** ws calls back only where the handshake succeeds: not for a request that it refuses, and not for a client that has gone. */
const handshake = (
  server: WebSocketServer,
  { request, socket, head }: Pick<Upgrade, 'request' | 'socket' | 'head'>,
): Promise<WebSocket> =>
  new Promise((resolve, reject) => {
    const lose = (): void => reject(new NodeFault(400, 'the client has gone'));
    server.once('wsClientError', ({ message }) =>
      reject(new NodeFault(400, `unable to upgrade: ${message}`)),
    );
    socket.once('close', lose);
    server.handleUpgrade(request, socket, head, (accepted) => {
      socket.off('close', lose);
      resolve(accepted);
    });
    if (socket.destroyed) lose();
  });

/** ws refuses names with a slash, which that of a tunnel has. */
const withoutProtocols = (request: IncomingMessage): IncomingMessage => {
  const { 'sec-websocket-protocol': _offered, ...headers } = request.headers;
  return Object.create(request, { headers: { value: headers } }) as IncomingMessage;
};

/** Speaks the first of `protocols` that the client offers. Rejects with a `NodeFault` if it offers none. */
const acceptSocket = (
  { request, socket, head }: Upgrade,
  protocols: readonly string[],
): Promise<WebSocket> => {
  const offered = offeredBy(request);
  const protocol = protocols.find((one) => offered.includes(one));
  if (protocol === undefined)
    throw new NodeFault(
      403,
      `unable to upgrade: none of the protocols ${offered.join(', ')} is known; known are ${protocols.join(', ')}`,
    );
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MOST_MESSAGE_BYTES,
    perMessageDeflate: false,
    clientTracking: false,
  });
  server.once('headers', (lines) => lines.push(`Sec-WebSocket-Protocol: ${protocol}`));
  return handshake(server, { request: withoutProtocols(request), socket, head });
};

const bytesOf = (data: RawData): Buffer =>
  Buffer.isBuffer(data) ? data : Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);

/** Each piece is a message, which counts as written when the connection has taken it. */
const outputOf = (socket: WebSocket, channel: number): Writable =>
  new Writable({
    write: (chunk: Buffer, _encoding, done) =>
      socket.send(Buffer.concat([Buffer.from([channel]), chunk]), { binary: true }, (error) =>
        done(error ?? null),
      ),
  });

const sizeIn = (bytes: Buffer): TerminalSize | undefined => {
  try {
    const { Width: width, Height: height } = JSON.parse(bytes.toString()) as {
      readonly Width?: unknown;
      readonly Height?: unknown;
    };
    const isSize = [width, height].every(
      (one) => Number.isInteger(one) && Number(one) > 0 && Number(one) < 65_536,
    );
    return isSize ? { width: Number(width), height: Number(height) } : undefined;
  } catch {
    return undefined;
  }
};

/** Reads no more messages while nobody reads the input. */
const inputOf = (socket: WebSocket): Readable => new Readable({ read: () => socket.resume() });

const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];

/** Each message begins with the number of its channel. Source: kubernetes v1.34 staging/src/k8s.io/apimachinery/pkg/util/remotecommand `constants.go`. */
export const webSocketStreams = async (upgrade: Upgrade, wanted: WantedStreams): Promise<RemoteStreams> => {
  const socket = await acceptSocket(upgrade, PROTOCOLS);
  const stdin = inputOf(socket);
  let onSize: (size: TerminalSize) => void = () => {};
  const receive = (bytes: Buffer): void => {
    const [channel, closed] = bytes;
    const content = bytes.subarray(1);
    if (
      channel === STDIN &&
      content.length > 0 &&
      wanted.stdin &&
      !stdin.readableEnded &&
      !stdin.push(content)
    )
      socket.pause();
    if (channel === CLOSE && closed === STDIN) stdin.push(null);
    const size = channel === RESIZE ? sizeIn(content) : undefined;
    if (size) onSize(size);
  };
  socket.on('message', (data) => receive(bytesOf(data)));
  socket.on('error', () => {});
  socket.once('close', () => stdin.push(null));
  upgrade.socket.once(
    'close',
    askWhileUnread(
      () => socket.isPaused,
      () => socket.ping(),
    ),
  );
  const streams = {
    ...(wanted.stdin && { stdin }),
    ...(wanted.stdout && { stdout: outputOf(socket, STDOUT) }),
    ...(wanted.stderr && { stderr: outputOf(socket, STDERR) }),
  };
  // An empty message tells the client that it is connected.
  const first = wanted.stdout ? STDOUT : wanted.stderr ? STDERR : ERROR;
  socket.send(Buffer.from([first]), { binary: true });
  return {
    ...streams,
    onResize: (callback) => {
      onSize = callback;
    },
    finish: (status) =>
      new Promise((resolve) => {
        const message = Buffer.concat([Buffer.from([ERROR]), Buffer.from(JSON.stringify(status))]);
        socket.send(message, { binary: true }, () => {
          socket.resume();
          socket.close(NORMAL);
          resolve();
        });
      }),
  };
};

/** The bytes in the messages of a WebSocket. */
export const webSocketTunnel = async (upgrade: Upgrade, protocol: string): Promise<Duplex> =>
  createWebSocketStream(await acceptSocket(upgrade, [protocol]), { allowHalfOpen: false });
