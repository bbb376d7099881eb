/** A client that costs little: HTTP by hand over TLS connections that stay, one request at a time on each. */
import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';

export interface Connection {
  /** Sends a request; resolves with its whole answer. Rejects when its status is not 200 or 201. */
  exchange(request: Buffer): Promise<string>;
  /** Sends a request; resolves with the milliseconds until its whole answer. */
  send(request: Buffer): Promise<number>;
  close(): void;
}

const END_OF_HEAD = '\r\n\r\n';
const LAST_CHUNK = '\r\n0\r\n\r\n';

/** Whether an answer of so many bytes, whose last bytes these are, is whole. */
type IsWhole = (length: number, last: string) => boolean;

/** `undefined`: the head has not come yet. Each character of an answer is a byte. */
const endOf = (answer: string): IsWhole | undefined => {
  const end = answer.indexOf(END_OF_HEAD);
  if (end < 0) return undefined;
  const head = answer.slice(0, end);
  if (/^transfer-encoding: chunked/im.test(head)) return (_length, last) => last === LAST_CHUNK;
  const whole = end + END_OF_HEAD.length + Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
  return (length) => length >= whole;
};

/** The answer as text. The sizes of chunks stay in it. */
const answerOn = (socket: TLSSocket, request: Buffer): Promise<string> =>
  new Promise((resolve, reject) => {
    let [answer, last] = ['', ''];
    let isWhole: IsWhole | undefined;
    const onClose = (): void => reject(new Error('the connection was closed'));
    const onData = (part: string): void => {
      answer += part;
      // Of the part, not of the answer: that would copy all of a large answer for each part.
      last = (last + part).slice(-LAST_CHUNK.length);
      isWhole ??= endOf(answer);
      if (!isWhole?.(answer.length, last)) return;
      socket.off('data', onData).off('close', onClose);
      resolve(answer);
    };
    socket.on('data', onData).on('close', onClose);
    socket.write(request);
  });

const connected = async (port: number, ca: string): Promise<TLSSocket> => {
  const socket = connect({ host: '127.0.0.1', port, ca });
  await once(socket, 'secureConnect');
  socket.setNoDelay(true);
  socket.setEncoding('latin1');
  // A server that stops hangs up; the bench has its figures by then.
  socket.on('error', () => undefined);
  return socket;
};

/** Connects to a server of this machine whose certificate is signed by `ca` (PEM); anew if the server has closed an idle connection. */
export const openConnection = async (port: number, ca: string): Promise<Connection> => {
  let socket = await connected(port, ca);
  const exchange = async (request: Buffer): Promise<string> => {
    if (!socket.writable) socket = await connected(port, ca);
    const answer = await answerOn(socket, request);
    if (/^HTTP\/1.1 20[01]/.test(answer)) return answer;
    throw new Error(answer.slice(0, 500));
  };
  const send = async (request: Buffer): Promise<number> => {
    const startedAt = performance.now();
    await exchange(request);
    return performance.now() - startedAt;
  };
  return { exchange, send, close: () => socket.destroy() };
};
