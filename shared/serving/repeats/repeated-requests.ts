/**
 * Answers requests that are repeated, such as beats, without the HTTP parser and its objects. They are most of the
 * processor time of a small request.
 */
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Again, HttpResponse } from '../../apiserver/contract/http.ts';
import { type Parse, type Reading, readBefore, type Whole } from './connection-reader.ts';

/** Most bytes of a head that is kept. That of a node has some 700, with the largest tokens twice as many. */
const MOST_BYTES = 2_048;
/** Heads that are kept of one request line: the length of a body may alternate between a few values, and a token may be replaced. */
const MOST_HEADS = 4;
/** Request lines that are kept: those of the largest fleet. */
const MOST_LINES = 131_072;
const LINE_END = 0x0d;

interface Known extends Whole {
  readonly again: Again;
}

/** Answers repeated requests of connections. */
export interface Repeats {
  /** Call it for each request, when the parser has read its head. */
  begins(message: IncomingMessage): void;
  /** Call it with what `serve` returned, before it is sent. The first answer that may be repeated opens its connection for repeats. */
  answered(message: IncomingMessage, response: HttpResponse): void;
}

/** Node's own flag, which its types lack. */
const leavesHttp = (message: IncomingMessage): boolean => Reflect.get(message, 'upgrade') === true;

/** Whether the client keeps its connection. */
const staysOpen = ({ headers: { connection } }: IncomingMessage): boolean =>
  connection === undefined || connection.toLowerCase() === 'keep-alive';

const isLike = (chunk: Buffer, { head, bytes }: Whole): boolean =>
  chunk.byteLength === bytes && chunk.compare(head, 0, head.byteLength, 0, head.byteLength) === 0;

const lineOf = (chunk: Buffer): string => chunk.toString('latin1', 0, Math.max(0, chunk.indexOf(LINE_END)));

/** The requests whose likes may be answered here, of all connections: a proxy sends those of many nodes on each of its own. */
const createKnown = () => {
  const lines = new Map<string, readonly Known[]>();
  return {
    find: (chunk: Buffer): Known | undefined =>
      lines.get(lineOf(chunk))?.find((known) => isLike(chunk, known)),
    learn: (known: Known): void => {
      const line = lineOf(known.head);
      const others = (lines.get(line) ?? []).filter(({ head }) => !head.equals(known.head));
      if (lines.size >= MOST_LINES && !lines.has(line)) lines.clear();
      lines.set(line, [known, ...others.slice(0, MOST_HEADS - 1)]);
    },
  };
};

let dated = { second: Number.NaN, text: '' };

/** The Date header, which has whole seconds. */
const dateText = (): string => {
  const second = Math.floor(Date.now() / 1_000);
  if (second !== dated.second) dated = { second, text: new Date(second * 1_000).toUTCString() };
  return dated.text;
};

/**
 * Writes an answer with a text as its body to a connection whose requests do not pass Node's HTTP server; the connection stays
 * open.
 */
const writeResponse = (socket: Socket, stays: string, { status, headers, body }: HttpResponse): void => {
  const text = typeof body === 'string' ? body : Buffer.from(body).toString();
  const bytes = Buffer.byteLength(text);
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
  head += `content-length: ${bytes}\r\nDate: ${dateText()}\r\n${stays}\r\n`;
  // A text of ASCII has the same bytes in both, and is copied faster so.
  socket.write(head + text, bytes === text.length ? 'latin1' : 'utf8');
};

/** For a server whose answers are not repeated. */
export const NO_REPEATS: Repeats = { begins: () => undefined, answered: () => undefined };

export interface RepeatsDeps {
  /** Whether a request of the connection is not answered yet. */
  readonly isBusy: (socket: Socket) => boolean;
  /** How long the server keeps a silent connection. */
  readonly keepAliveMs: number;
  /** Called once, when Node.js is found to read connections otherwise than expected here; from then on nothing is answered here. */
  readonly onFault: (fault: string) => void;
}

export const createRepeats = ({ isBusy, keepAliveMs, onFault }: RepeatsDeps): Repeats => {
  const stays = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveMs / 1_000}\r\n`;
  /** Connections that have got an answer which may be repeated: their sender is known, and was not refused. */
  const opened = new WeakMap<Socket, Reading>();
  const requests = createKnown();
  let isOff = false;

  const turnOff = (fault: string): void => {
    if (!isOff) onFault(fault);
    isOff = true;
  };

  /** Answers what was asked before. A client that does not read its answers is left to the limits of the ordinary way. */
  const isAnswered = (socket: Socket, chunk: Buffer): boolean => {
    if (isOff || !opened.get(socket)?.isBetween()) return false;
    if (!socket.writable || socket.writableLength > 0 || isBusy(socket)) return false;
    const known = requests.find(chunk);
    const response = known?.again(chunk.subarray(known.head.byteLength));
    if (response) writeResponse(socket, stays, response);
    return response !== undefined;
  };

  /** Connections that are not opened keep Node's own way from the socket to the parser, which is shorter. */
  const open = (socket: Socket): void => {
    const [parse, ...others] = socket.listeners('data');
    if (!parse || others.length > 0) {
      turnOff('a connection is not read by one listener');
      return;
    }
    opened.set(
      socket,
      readBefore(socket, parse as Parse, (chunk) => isAnswered(socket, chunk)),
    );
  };

  const learn = (reading: Reading, message: IncomingMessage, again: Again | undefined): void => {
    const whole = reading.take(message);
    if (!whole || !again || whole.head.byteLength > MOST_BYTES || !staysOpen(message)) return;
    requests.learn({ ...whole, again });
  };

  return {
    begins: (message) => {
      const reading = opened.get(message.socket);
      if (!reading) return;
      if (!reading.begins(message)) turnOff('a request begins without bytes for the parser');
      if (!leavesHttp(message)) return;
      // The HTTP server removes its own listener. Bytes of another protocol would go to a parser that serves another connection by then.
      reading.leave();
      opened.delete(message.socket);
    },
    answered: (message, { again }) => {
      const { socket } = message;
      const reading = opened.get(socket);
      if (reading) learn(reading, message, again);
      else if (again && !isOff && !socket.destroyed && !leavesHttp(message)) open(socket);
    },
  };
};
