/** Frames of SPDY/3.1. Source: draft-mbelshe-httpbis-spdy-00, section 2.2 and 2.6. */

/** The names and values of a stream, compressed. */
type Block = Uint8Array;

export type Frame =
  | { readonly kind: 'data'; readonly stream: number; readonly isLast: boolean; readonly bytes: Uint8Array }
  | { readonly kind: 'open'; readonly stream: number; readonly isLast: boolean; readonly block: Block }
  | { readonly kind: 'reply'; readonly stream: number; readonly isLast: boolean; readonly block: Block }
  | { readonly kind: 'headers'; readonly stream: number; readonly isLast: boolean; readonly block: Block }
  | { readonly kind: 'reset'; readonly stream: number; readonly status: number }
  | { readonly kind: 'settings' }
  | { readonly kind: 'ping'; readonly id: number }
  | { readonly kind: 'goAway'; readonly lastStream: number; readonly status: number }
  | { readonly kind: 'window'; readonly stream: number; readonly delta: number }
  | { readonly kind: 'unknown' };

const HEAD = 8;
const VERSION = 3;
const CONTROL = 0x80;
const FIN = 0x01;
/** Stream ids, ids of pings and deltas have 31 bits. */
const LOW_31 = 0x7f_ff_ff_ff;
const TYPES = {
  open: 1,
  reply: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  window: 9,
} as const;
/** Bytes of a frame that opens a stream before its block: two stream ids, a priority, a slot. */
const OPEN_HEAD = 10;
const ID = 4;

/** Status of a frame that ends a stream: a stream that is not there, one that is refused, one that is given up, a fault of ours. */
export const RESET = { invalidStream: 2, refused: 3, cancelled: 5, internal: 6 } as const;

/** Longest frame that is taken (bytes). Clients of Kubernetes send 32 KB at once. */
export const MOST_FRAME_BYTES = 256 * 1024;
/** Longest block of headers, compressed (bytes). */
export const MOST_BLOCK_BYTES = 16 * 1024;

/** What is no SPDY/3.1, or more than is taken: the connection is given up. */
export class SpdyFault extends Error {
  override readonly name = 'SpdyFault';
}

const word = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};

const withHead = (first: Uint8Array, flags: number, payload: Uint8Array): Buffer => {
  const length = word(payload.length);
  length[0] = flags;
  return Buffer.concat([first, length, payload]);
};

const control = (type: number, flags: number, ...parts: readonly Uint8Array[]): Buffer =>
  withHead(Buffer.from([CONTROL, VERSION, 0, type]), flags, Buffer.concat(parts));

const flagOf = ({ isLast }: { readonly isLast: boolean }): number => (isLast ? FIN : 0);

/** The bytes of a frame. */
export const encodeFrame = (frame: Frame): Buffer => {
  switch (frame.kind) {
    case 'data':
      return withHead(word(frame.stream), flagOf(frame), frame.bytes);
    case 'open':
      return control(TYPES.open, flagOf(frame), word(frame.stream), word(0), Buffer.alloc(2), frame.block);
    case 'reply':
    case 'headers':
      return control(TYPES[frame.kind], flagOf(frame), word(frame.stream), frame.block);
    case 'reset':
      return control(TYPES.reset, 0, word(frame.stream), word(frame.status));
    case 'ping':
      return control(TYPES.ping, 0, word(frame.id));
    case 'goAway':
      return control(TYPES.goAway, 0, word(frame.lastStream), word(frame.status));
    case 'window':
      return control(TYPES.window, 0, word(frame.stream), word(frame.delta));
    case 'settings':
      return control(TYPES.settings, 0, word(0));
    case 'unknown':
      throw new SpdyFault('a frame of an unknown kind is not sent');
  }
};

const blockFrom = (payload: Buffer, from: number): Block => {
  if (payload.length < from) throw new SpdyFault('a frame is too short');
  if (payload.length - from > MOST_BLOCK_BYTES) throw new SpdyFault('headers are too long');
  return payload.subarray(from);
};

const numberAt = (payload: Buffer, at: number): number => {
  if (payload.length < at + 4) throw new SpdyFault('a frame is too short');
  return payload.readUInt32BE(at);
};

const idAt = (payload: Buffer, at: number): number => numberAt(payload, at) & LOW_31;

const controlFrame = (type: number, isLast: boolean, payload: Buffer): Frame => {
  switch (type) {
    case TYPES.open:
      return { kind: 'open', stream: idAt(payload, 0), isLast, block: blockFrom(payload, OPEN_HEAD) };
    case TYPES.reply:
      return { kind: 'reply', stream: idAt(payload, 0), isLast, block: blockFrom(payload, ID) };
    case TYPES.headers:
      return { kind: 'headers', stream: idAt(payload, 0), isLast, block: blockFrom(payload, ID) };
    case TYPES.reset:
      return { kind: 'reset', stream: idAt(payload, 0), status: numberAt(payload, 4) };
    case TYPES.settings:
      return { kind: 'settings' };
    case TYPES.ping:
      return { kind: 'ping', id: numberAt(payload, 0) };
    case TYPES.goAway:
      return { kind: 'goAway', lastStream: idAt(payload, 0), status: numberAt(payload, 4) };
    case TYPES.window:
      return { kind: 'window', stream: idAt(payload, 0), delta: idAt(payload, 4) };
    default:
      return { kind: 'unknown' };
  }
};

const frameOf = (head: Buffer, payload: Buffer): Frame => {
  const isLast = (head.readUInt8(4) & FIN) !== 0;
  if ((head.readUInt8(0) & CONTROL) === 0)
    return { kind: 'data', stream: idAt(head, 0), isLast, bytes: payload };
  const version = head.readUInt16BE(0) & 0x7f_ff;
  if (version !== VERSION) throw new SpdyFault(`SPDY/${version} is not known`);
  return controlFrame(head.readUInt16BE(2), isLast, payload);
};

export interface DecodedFrames {
  readonly frames: readonly Frame[];
  /** The beginning of the next frame. */
  readonly rest: Buffer;
}

/** The frames in the bytes that have come; `rest`: what was left of those before. Throws a `SpdyFault`. */
export const decodeFrames = (rest: Buffer, chunk: Buffer): DecodedFrames => {
  const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
  const frames: Frame[] = [];
  let at = 0;
  while (all.length - at >= HEAD) {
    const length = all.readUIntBE(at + 5, 3);
    if (length > MOST_FRAME_BYTES) throw new SpdyFault(`a frame of ${length} bytes is too long`);
    const end = at + HEAD + length;
    if (all.length < end) break;
    frames.push(frameOf(all.subarray(at, at + HEAD), all.subarray(at + HEAD, end)));
    at = end;
  }
  return { frames, rest: all.subarray(at) };
};
