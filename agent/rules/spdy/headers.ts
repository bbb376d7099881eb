/** Blocks of names and values in frames of SPDY/3.1. Source: draft-mbelshe-httpbis-spdy-00, section 2.6.10. */
import { SpdyFault } from './frames.ts';

/** Names in lower case. */
export type Headers = Readonly<Record<string, string>>;

const MOST_HEADERS = 100;

const text = (value: string): Buffer => {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

/** The bytes before they are compressed. */
export const encodeHeaders = (headers: Headers): Buffer => {
  const entries = Object.entries(headers);
  const count = Buffer.alloc(4);
  count.writeUInt32BE(entries.length);
  return Buffer.concat([count, ...entries.flatMap(([name, value]) => [text(name), text(value)])]);
};

/** Of several values of one name the first counts. Throws a `SpdyFault`. */
export const decodeHeaders = (bytes: Buffer): Headers => {
  let at = 0;
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new SpdyFault('headers are cut');
    at += length;
    return bytes.subarray(at - length, at);
  };
  const next = (): string => take(take(4).readUInt32BE()).toString('utf8');
  const count = take(4).readUInt32BE();
  if (count > MOST_HEADERS) throw new SpdyFault(`${count} headers are too many`);
  const entries = Array.from({ length: count }, () => {
    const name = next().toLowerCase();
    return [name, next().split('\0')[0] ?? ''] as const;
  });
  return Object.fromEntries(entries);
};

const MOST_STORED = 0xff_ff;

/** Blocks of Deflate that store bytes as they are. Source: RFC 1951, section 3.2.4. */
const stored = (bytes: Uint8Array): readonly Uint8Array[] => {
  const part = bytes.subarray(0, MOST_STORED);
  const head = Buffer.alloc(5);
  head.writeUInt16LE(part.length, 1);
  head.writeUInt16LE(~part.length & MOST_STORED, 3);
  return bytes.length <= MOST_STORED ? [head, part] : [head, part, ...stored(bytes.subarray(MOST_STORED))];
};

/** The first two bytes of a stream of zlib: Deflate with the smallest promise. Source: RFC 1950. */
const ZLIB_HEAD = Uint8Array.of(0x78, 0x01);

/** Readers in Go give out what was stored only after an empty block, which compressors write when they flush. */
const FLUSH = stored(new Uint8Array());

/**
 * A block as it is sent. What the agent sends has few headers, so they are stored and not compressed: any reader of zlib takes them. All blocks
 * of a connection are one stream, whose head comes with the first.
 */
export const packHeaders = (headers: Headers, isFirst: boolean): Buffer =>
  Buffer.concat([...(isFirst ? [ZLIB_HEAD] : []), ...stored(encodeHeaders(headers)), ...FLUSH]);
