/** Reads the wire format of protocol buffers. Errors are worded as in gogo/protobuf's generated code. */

import { checkBodyValues } from '../json/value-limits.ts';
import { DecodeError } from '../schema/go-types.ts';

/** A cursor over a protobuf message. Each read function advances `at`. */
export interface Reader {
  readonly bytes: Uint8Array;
  /** The same bytes, decoded to one character per byte: ASCII strings are cut from it. */
  readonly ascii: string;
  at: number;
  readonly end: number;
  /** Number of fields read so far, in all messages of the body. */
  readonly fields: { count: number };
}

export const readerOf = (bytes: Uint8Array): Reader => ({
  bytes,
  ascii: new TextDecoder('latin1').decode(bytes),
  at: 0,
  end: bytes.length,
  fields: { count: 0 },
});

/** Wire types: how a field's value is framed. */
export const WIRE = { varint: 0, fixed64: 1, bytes: 2, group: 3, endGroup: 4, fixed32: 5 } as const;

const UNEXPECTED_END = 'unexpected EOF';

const nextByte = (reader: Reader): number => {
  const byte = reader.bytes[reader.at];
  if (byte === undefined || reader.at >= reader.end) throw new DecodeError(UNEXPECTED_END);
  reader.at += 1;
  return byte;
};

/** Reads a 64-bit varint as its low and high half, both unsigned. */
const readHalves = (reader: Reader): readonly [low: number, high: number] => {
  let [low, high] = [0, 0];
  for (let shift = 0; shift < 70; shift += 7) {
    const byte = nextByte(reader);
    const bits = byte & 0x7f;
    if (shift < 28) low |= bits << shift;
    else if (shift === 28) [low, high] = [low | (bits << 28), bits >> 4];
    else if (shift < 64) high |= bits << (shift - 32);
    if (byte < 0x80) return [low >>> 0, high >>> 0];
  }
  throw new DecodeError('proto: integer overflow');
};

/** Reads a signed 64-bit integer. Values beyond ±2^53 are rounded. */
export const readInt64 = (reader: Reader): number => {
  const [low, high] = readHalves(reader);
  return (high | 0) * 2 ** 32 + low;
};

export const readInt32 = (reader: Reader): number => readHalves(reader)[0] | 0;

const DOUBLE_BYTES = 8;

/** Reads a number of 64 bits. Throws for one that JSON cannot express. */
export const readDouble = (reader: Reader): number => {
  const [at, end] = [reader.at, reader.at + DOUBLE_BYTES];
  if (end > reader.end) throw new DecodeError(UNEXPECTED_END);
  reader.at = end;
  const value = new DataView(reader.bytes.buffer, reader.bytes.byteOffset + at, DOUBLE_BYTES).getFloat64(
    0,
    true,
  );
  if (!Number.isFinite(value)) throw new DecodeError(`json: unsupported value: ${value}`);
  return value;
};

export const readBool = (reader: Reader): boolean => {
  const [low, high] = readHalves(reader);
  return low !== 0 || high !== 0;
};

/** Reads a length and returns the offset at which the bytes of that length end. */
export const readEnd = (reader: Reader): number => {
  const length = readInt64(reader);
  if (length < 0) throw new DecodeError('proto: negative length found during unmarshaling');
  if (reader.at + length > reader.end) throw new DecodeError(UNEXPECTED_END);
  return reader.at + length;
};

/** Returns a reader of the length-delimited message that starts here, and moves this reader past it. */
export const readInner = (reader: Reader): Reader => {
  const end = readEnd(reader);
  const inner = { ...reader, end };
  reader.at = end;
  return inner;
};

export const readBytes = (reader: Reader): Uint8Array => {
  const end = readEnd(reader);
  const bytes = reader.bytes.subarray(reader.at, end);
  reader.at = end;
  return bytes;
};

const isAscii = (bytes: Uint8Array, from: number, to: number): boolean => {
  for (let at = from; at < to; at += 1) if ((bytes[at] ?? 0) > 0x7f) return false;
  return true;
};

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

export const readText = (reader: Reader): string => {
  const [end, start] = [readEnd(reader), reader.at];
  reader.at = end;
  return isAscii(reader.bytes, start, end)
    ? reader.ascii.slice(start, end)
    : UTF8.decode(reader.bytes.subarray(start, end));
};

const readRawTag = (reader: Reader): number => {
  reader.fields.count += 1;
  checkBodyValues(reader.fields.count);
  return readHalves(reader)[0];
};

/**
 * Reads the number and wire type of the next field. Throws `DecodeError` for an impossible number, 413 for too many
 * fields.
 */
export const readTag = (reader: Reader, message: string): readonly [number: number, wire: number] => {
  const tag = readRawTag(reader);
  const [number, wire] = [tag >>> 3, tag & 7];
  if (wire === WIRE.endGroup) throw new DecodeError(`proto: ${message}: wiretype end group for non-group`);
  if (number === 0) throw new DecodeError(`proto: ${message}: illegal tag 0 (wire type ${tag})`);
  return [number, wire];
};

const skipBytes = (reader: Reader, count: number): void => {
  if (reader.at + count > reader.end) throw new DecodeError(UNEXPECTED_END);
  reader.at += count;
};

const skipOne = (reader: Reader, wire: number): number => {
  if (wire === WIRE.varint) readHalves(reader);
  else if (wire === WIRE.fixed64) skipBytes(reader, 8);
  else if (wire === WIRE.bytes) reader.at = readEnd(reader);
  else if (wire === WIRE.fixed32) skipBytes(reader, 4);
  else if (wire === WIRE.group) return 1;
  else if (wire === WIRE.endGroup) return -1;
  else throw new DecodeError(`proto: illegal wireType ${wire}`);
  return 0;
};

/** Skips the value of an unknown field. Groups may nest. */
export const skipField = (reader: Reader, wire: number): void => {
  let depth = skipOne(reader, wire);
  while (depth > 0) depth += skipOne(reader, readRawTag(reader) & 7);
};
