/** Reads a connection before Node's HTTP parser does, to know when the parser waits for a new request. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** A request that came whole: after it the parser waits for the next one. */
export interface Whole {
  readonly head: Buffer;
  readonly bytes: number;
}

/** A request that the parser reads: the chunk in which its head ended, and the bytes since the beginning of that chunk. */
interface Parsing {
  readonly first: Buffer;
  bytes: number;
  readonly message: IncomingMessage;
}

interface State {
  /** The requests whose heads ended in the chunk that the parser has now; absent between two chunks. */
  begun?: IncomingMessage[];
  parsing?: Parsing | undefined;
  isBetween: boolean;
  /** The last request, until it is answered. */
  asked?: { readonly message: IncomingMessage; readonly whole: Whole };
  /** Whether a chunk has come: from then on the parser gets all bytes from here. */
  hasRead: boolean;
}

/** A connection that is read here. */
export interface Reading {
  /** Whether the parser waits for a new request. */
  isBetween(): boolean;
  /** Call it when the parser has read the head of a request. `false`: it has done so by itself, with bytes that did not pass here. */
  begins(message: IncomingMessage): boolean;
  /** The request, if it is the last one and came whole. Only the first call returns it. */
  take(message: IncomingMessage): Whole | undefined;
  /** Stops reading; so does nobody then. */
  leave(): void;
}

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

/** What the parser reads now: a request that has begun in this chunk, or more of the one before; `undefined` if it may be anything. */
const parsingOf = ({ parsing, begun = [] }: State, chunk: Buffer): Parsing | undefined => {
  const [message] = begun;
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

/** What reads the connection by itself: the only listener of its data. */
export type Parse = (chunk: Buffer) => unknown;

/** Takes the place of `parse`, which gets each chunk that `isAnswered` leaves to it. */
export const readBefore = (socket: Socket, parse: Parse, isAnswered: (chunk: Buffer) => boolean): Reading => {
  const state: State = { isBetween: false, hasRead: false };
  const onData = (chunk: Buffer): void => {
    if (isAnswered(chunk)) return;
    state.hasRead = true;
    state.begun = [];
    Reflect.apply(parse, socket, [chunk]);
    settle(state, chunk);
  };
  socket.removeAllListeners('data');
  socket.on('data', onData);
  return {
    isBetween: () => state.isBetween,
    begins: (message) => {
      state.begun?.push(message);
      return state.begun !== undefined || !state.hasRead;
    },
    take: (message) => {
      const { asked } = state;
      if (asked?.message !== message) return undefined;
      delete state.asked;
      return asked.whole;
    },
    leave: () => void socket.off('data', onData),
  };
};
