/**
 * A connection of SPDY/3.1 whose streams the other side opens, as kubectl does, or we do, to a container runtime.
 * Both sides of Kubernetes' implementation heed no windows: neither sends WINDOW_UPDATE. So a window would stop a stream for ever, and what
 * keeps memory bounded is the connection itself: while a stream has more than it can hold, no more is read. Source: github.com/moby/spdystream.
 */
import type { Duplex } from 'node:stream';
import { decodeFrames, encodeFrame, type Frame, RESET, SpdyFault } from '../../rules/spdy/frames.ts';
import { type Headers, packHeaders } from '../../rules/spdy/headers.ts';
import { askWhileUnread } from '../contract/ask-client.ts';
import { type ConnectedStream, createStream, type SpdyStream } from './stream.ts';
import { createHeaderUnpacker, type HeaderUnpacker } from './unpack-headers.ts';

export interface SpdyOptions {
  /** A stream that the other side has opened. It is refused by destroying it. */
  onStream(stream: SpdyStream): void;
  /** Whether we have opened the connection: then our streams have odd numbers. */
  readonly isClient?: boolean;
}

export interface SpdyConnection {
  /** Resolves when the connection is over. */
  readonly closed: Promise<void>;
  open(headers: Headers): SpdyStream;
  /** Says that no more streams are taken, and ends the connection. */
  end(): void;
}

/** Open streams of one connection at a time. A port-forward has two for each connection. */
const MOST_STREAMS = 256;
/** Answers that the other side has not taken yet. */
const MOST_UNTAKEN = 64;
/** Of our pings. Those of clients are odd. */
const PING_ID = 2;

interface Connection extends SpdyOptions {
  readonly socket: Duplex;
  readonly streams: Map<number, ConnectedStream>;
  readonly unpacker: HeaderUnpacker;
  /** The last stream that the other side has opened. */
  lastSeen: number;
  hasSentHeaders: boolean;
  untaken: number;
  /** Whether a frame is being dealt with; no other is read meanwhile. */
  isBusy: boolean;
  /** Goes on although an answer was not taken: the connection is over. */
  wake(): void;
}

const send = ({ socket }: Connection, frame: Frame): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.write(encodeFrame(frame), (error) => (error ? reject(error) : resolve()));
  });

/** Whoever does not hear it is gone. */
const tell = (connection: Connection, frame: Frame): Promise<void> => send(connection, frame).catch(() => {});

/**
 * Nothing is read while many answers wait to be taken: they would fill memory. A few may wait: a client may have to be read before it reads
 * on.
 */
const answer = async (connection: Connection, frame: Frame): Promise<void> => {
  connection.untaken += 1;
  const taken = tell(connection, frame).then(() => {
    connection.untaken -= 1;
  });
  if (connection.untaken <= MOST_UNTAKEN) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  connection.wake = resolve;
  void taken.then(resolve);
  await promise;
};

const packed = (connection: Connection, headers: Headers): Buffer => {
  const block = packHeaders(headers, !connection.hasSentHeaders);
  connection.hasSentHeaders = true;
  return block;
};

const add = (connection: Connection, id: number, headers: Headers): ConnectedStream => {
  const known = createStream({
    id,
    headers,
    send: (frame) => send(connection, frame),
    forget: () => connection.streams.delete(id),
  });
  connection.streams.set(id, known);
  return known;
};

/** Ids of clients are odd, those of servers even. */
const isOurs = ({ isClient = false }: Connection, id: number): boolean => id % 2 === (isClient ? 1 : 0);

type Opening = Frame & { readonly kind: 'open' };

const opened = async (
  connection: Connection,
  { stream: id, isLast, block: theirs }: Opening,
): Promise<void> => {
  const { unpacker, streams, onStream } = connection;
  const headers = await unpacker.unpack(theirs);
  if (isOurs(connection, id) || id <= connection.lastSeen)
    throw new SpdyFault(`stream ${id} comes out of turn`);
  connection.lastSeen = id;
  if (streams.size >= MOST_STREAMS)
    return answer(connection, { kind: 'reset', stream: id, status: RESET.refused });
  const known = add(connection, id, headers);
  const block = packed(connection, {});
  const answered = answer(connection, { kind: 'reply', stream: id, isLast: false, block });
  if (isLast) known.finish();
  onStream(known.stream);
  await answered;
};

/** A runtime resets all streams when a command has ended, so that what it sent before still counts; a client that resets one is gone. */
const lose = ({ isClient = false }: Connection, known: ConnectedStream): void => {
  if (isClient) known.finish();
  else known.stream.destroy();
};

const reset = (connection: Connection, id: number): void => {
  const known = connection.streams.get(id);
  connection.streams.delete(id);
  if (known) lose(connection, known);
};

const receive = async (connection: Connection, frame: Frame): Promise<void> => {
  const { streams, unpacker } = connection;
  switch (frame.kind) {
    case 'open':
      return opened(connection, frame);
    case 'reply':
    case 'headers':
      // All blocks are one stream, so each has to be unpacked.
      await unpacker.unpack(frame.block);
      if (frame.isLast) streams.get(frame.stream)?.finish();
      return;
    case 'data':
      await streams.get(frame.stream)?.take(frame.bytes);
      if (frame.isLast) streams.get(frame.stream)?.finish();
      return;
    case 'reset':
      return reset(connection, frame.stream);
    case 'ping':
      // An answer to ours is not answered.
      return isOurs(connection, frame.id) ? undefined : answer(connection, frame);
    case 'goAway':
    case 'settings':
    case 'window':
    case 'unknown':
      return;
  }
};

const endStreams = (connection: Connection): void => {
  for (const known of [...connection.streams.values()]) lose(connection, known);
};

const receiveAll = async (connection: Connection): Promise<void> => {
  const { socket, unpacker } = connection;
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of socket) {
      const decoded = decodeFrames(rest, chunk as Buffer);
      rest = decoded.rest;
      connection.isBusy = true;
      for (const frame of decoded.frames) await receive(connection, frame);
      connection.isBusy = false;
    }
  } catch {
    // The connection is broken, or what came is no SPDY.
  }
  endStreams(connection);
  unpacker.close();
  socket.destroy();
};

export const createSpdyConnection = (socket: Duplex, options: SpdyOptions): SpdyConnection => {
  const connection: Connection = {
    ...options,
    socket,
    streams: new Map(),
    unpacker: createHeaderUnpacker(),
    lastSeen: 0,
    hasSentHeaders: false,
    untaken: 0,
    isBusy: false,
    wake: () => {},
  };
  const stopAsking = askWhileUnread(
    () => !options.isClient && connection.isBusy,
    () => void tell(connection, { kind: 'ping', id: PING_ID }),
  );
  // While the connection waits, nothing is read: what waits is woken by the end.
  socket.once('close', () => {
    endStreams(connection);
    connection.wake();
  });
  let nextId = options.isClient ? 1 : 2;
  return {
    closed: receiveAll(connection).finally(stopAsking),
    open: (headers) => {
      const id = nextId;
      nextId += 2;
      const { stream } = add(connection, id, headers);
      const block = packed(connection, headers);
      void tell(connection, { kind: 'open', stream: id, isLast: false, block });
      return stream;
    },
    end: () => {
      void tell(connection, { kind: 'goAway', lastStream: connection.lastSeen, status: 0 });
      socket.end();
    },
  };
};
