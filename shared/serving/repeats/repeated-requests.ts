/**
 * Answers requests that are repeated, such as beats, without the HTTP parser and its objects. They are most of the
 * processor time of a small request.
 */
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Again, HttpResponse } from '../../apiserver/contract/http.ts';

/** Most bytes of a head that is kept. That of a node has some 700, with the largest tokens twice as many. */
const MOST_BYTES = 2_048;
/** Heads that are kept of one request line: the length of a body may alternate between a few values, and a token may be replaced. */
const MOST_HEADS = 4;
/** Request lines that are kept: those of the largest fleet. */
const MOST_LINES = 131_072;
const LINE_END = 0x0d;

/** A request that came whole, and whose like may be answered here. */
interface Whole {
  readonly head: Buffer;
  readonly bytes: number;
}

interface Known extends Whole {
  readonly again: Again;
}

/** A request that the parser reads: the chunk in which its head ended, and the bytes since the beginning of that chunk. */
interface Parsing {
  readonly first: Buffer;
  bytes: number;
  readonly message: IncomingMessage;
}

/** A connection that is read here before the parser gets it. */
interface State {
  /** Stops looking at the connection. */
  readonly leave: () => void;
  /** The requests whose heads ended in the chunk that the parser has now; absent between two chunks. */
  begun?: IncomingMessage[];
  parsing?: Parsing | undefined;
  /** Whether the parser waits for a new request. */
  isBetween: boolean;
  /** The last request, until it is answered. */
  asked?: { readonly message: IncomingMessage; readonly whole: Whole };
  /** Whether the connection has sent a request that may be repeated: its sender is known, and it was not refused. */
  hasAsked: boolean;
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

/** The head of a request as most clients write it. */
const headOf = ({ method, url, rawHeaders }: IncomingMessage): string => {
  let head = `${method} ${url} HTTP/1.1\r\n`;
  for (let index = 0; index < rawHeaders.length; index += 2)
    head += `${rawHeaders[index]}: ${rawHeaders[index + 1]}\r\n`;
  return `${head}\r\n`;
};

/**
 * The request, if its bytes are all that the parser was given since its beginning: then the parser waits for the next one. A head that was written in
 * another way does not match; so no reading of a head but the parser's decides where a request ends.
 */
const wholeRequest = ({ first, bytes, message }: Parsing): Whole | undefined => {
  if (!message.complete || 'transfer-encoding' in message.headers) return undefined;
  const head = Buffer.from(headOf(message), 'latin1');
  const length = head.byteLength + Number(message.headers['content-length'] ?? 0);
  return length === bytes && first.subarray(0, head.byteLength).equals(head)
    ? { head, bytes: length }
    : undefined;
};

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

/** What the parser reads now: a request that has begun in this chunk, or more of the one before; `undefined` if it may be anything. */
const parsingOf = ({ parsing, begun = [] }: State, chunk: Buffer): Parsing | undefined => {
  const [message, ...others] = begun;
  if (others.length > 0) return undefined;
  if (message) return { first: chunk, bytes: chunk.byteLength, message };
  if (parsing) parsing.bytes += chunk.byteLength;
  return parsing;
};

/** After the parser has had a chunk: is it between two requests? */
const settle = (state: State, chunk: Buffer): void => {
  const parsing = parsingOf(state, chunk);
  const whole = parsing && wholeRequest(parsing);
  delete state.begun;
  state.isBetween = whole !== undefined;
  state.parsing = whole ? undefined : parsing;
  if (whole) state.asked = { message: parsing.message, whole };
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
}

export const createRepeats = ({ isBusy, keepAliveMs }: RepeatsDeps): Repeats => {
  const stays = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveMs / 1_000}\r\n`;
  const states = new WeakMap<Socket, State>();
  const requests = createKnown();

  /** Answers what was asked before. A client that does not read its answers is left to the limits of the ordinary way. */
  const isAnswered = (socket: Socket, { isBetween, hasAsked }: State, chunk: Buffer): boolean => {
    if (!isBetween || !hasAsked || !socket.writable || socket.writableLength > 0 || isBusy(socket))
      return false;
    const known = requests.find(chunk);
    const response = known?.again(chunk.subarray(known.head.byteLength));
    if (response) writeResponse(socket, stays, response);
    return response !== undefined;
  };

  /** Reads a connection before the parser does, until it leaves HTTP. Other connections keep Node's own way to the parser, which is shorter. */
  const open = (socket: Socket): void => {
    const [parse, ...others] = socket.listeners('data');
    if (!parse || others.length > 0) return;
    const onData = (chunk: Buffer): void => {
      if (isAnswered(socket, state, chunk)) return;
      state.begun = [];
      Reflect.apply(parse, socket, [chunk]);
      settle(state, chunk);
    };
    const leave = (): void => {
      socket.off('data', onData);
      states.delete(socket);
    };
    const state: State = { leave, isBetween: false, hasAsked: false };
    states.set(socket, state);
    socket.removeAllListeners('data');
    socket.on('data', onData);
  };

  const learn = (state: State, message: IncomingMessage, again: Again | undefined): void => {
    if (state.asked?.message !== message) return;
    const { whole } = state.asked;
    delete state.asked;
    if (!again || whole.head.byteLength > MOST_BYTES || !staysOpen(message)) return;
    state.hasAsked = true;
    requests.learn({ ...whole, again });
  };

  return {
    begins: (message) => {
      const state = states.get(message.socket);
      state?.begun?.push(message);
      // The HTTP server removes its own listener. Bytes of another protocol would go to a parser that serves another connection by then.
      if (leavesHttp(message)) state?.leave();
    },
    answered: (message, { again }) => {
      const { socket } = message;
      const state = states.get(socket);
      if (state) learn(state, message, again);
      else if (again && !socket.destroyed && !leavesHttp(message)) open(socket);
    },
  };
};
