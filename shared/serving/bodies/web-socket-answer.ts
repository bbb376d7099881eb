/**
 * Sends an answer that goes on as messages of a WebSocket: a text message for each event of a watch, binary ones of a log. Source: apiserver v1.34
 * `endpoints/handlers/watch.go` `HandleWS`, `util/wsstream` `Reader`.
 */
import type { IncomingMessage } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import type { HttpResponse, UpgradedClient } from '../../apiserver/contract/http.ts';
import { bearerProtocol } from './bearer-protocol.ts';

/** A client has nothing to say. */
const MOST_MESSAGE_BYTES = 65_536;
/** Milliseconds after which a client that reads nothing is disconnected. */
const STALLED_MS = 60_000;
/** Milliseconds that a client gets to answer the end. */
const CLOSE_MS = 10_000;
const NORMAL = 1000;
const BASE64 = 'base64.binary.k8s.io';
const BYTES_PROTOCOLS: readonly string[] = ['binary.k8s.io', BASE64];

type Going = Pick<HttpResponse, 'stream' | 'bytes'>;

/** Whether the request asks for a WebSocket. */
export const wantsWebSocket = ({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean =>
  method === 'GET' && (headers.upgrade ?? '').toLowerCase() === 'websocket';

const chooser =
  ({ stream }: Going) =>
  (offered: ReadonlySet<string>): string | false => {
    const names = [...offered].filter((name) => bearerProtocol(name) === undefined);
    return (stream ? names[0] : names.find((name) => BYTES_PROTOCOLS.includes(name))) ?? false;
  };

/** The lines of a piece, each with its end. */
const linesOf = (piece: string): readonly string[] => piece.match(/[^\n]*\n|[^\n]+$/g) ?? [];

async function* messagesOf({ stream, bytes }: Going, protocol: string): AsyncGenerator<string | Uint8Array> {
  if (stream) for await (const piece of stream) yield* linesOf(piece);
  if (bytes)
    for await (const piece of bytes)
      yield protocol === BASE64 ? Buffer.from(piece).toString('base64') : piece;
}

/** Resolves to whether the connection has taken the message. A client that takes none for a minute is disconnected. */
const sent = (socket: WebSocket, message: string | Uint8Array): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => socket.terminate(), STALLED_MS);
    socket.send(message, { binary: typeof message !== 'string' }, (error) => {
      clearTimeout(timer);
      resolve(!error);
    });
  });

const send = async (socket: WebSocket, answer: Going): Promise<void> => {
  for await (const message of messagesOf(answer, socket.protocol))
    if (socket.readyState !== socket.OPEN || !(await sent(socket, message))) return;
};

const finish = (socket: WebSocket): void => {
  const timer = setTimeout(() => socket.terminate(), CLOSE_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.close(NORMAL);
};

/** Begins the answer and ends it, so that it gives up what it holds. */
const discard = async ({ stream, bytes }: Going): Promise<void> => {
  const pieces: AsyncIterable<string | Uint8Array> | undefined = stream ?? bytes;
  if (pieces) for await (const _ of pieces) return;
};

/** Takes over the connection of a request that `wantsWebSocket`. A handshake that fails is answered with 400. */
export const webSocketAnswer =
  (message: IncomingMessage, answer: Going, onError: (error: unknown) => void) =>
  ({ connection, head, signal }: UpgradedClient): void => {
    const server = new WebSocketServer({
      noServer: true,
      maxPayload: MOST_MESSAGE_BYTES,
      perMessageDeflate: false,
      clientTracking: false,
      handleProtocols: chooser(answer),
    });
    let socket: WebSocket | undefined;
    server.handleUpgrade(message, connection, Buffer.from(head), (accepted) => {
      socket = accepted;
      accepted.on('error', () => undefined);
      signal.addEventListener('abort', () => finish(accepted), { once: true });
      send(accepted, answer)
        .catch(onError)
        .finally(() => finish(accepted));
    });
    if (!socket) discard(answer).catch(onError);
  };
