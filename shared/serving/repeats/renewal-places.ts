/** Reads renewals of one Lease, which differ in their version and their instant only, without decoding them. */

import { deepEqual } from '../../kube/json/deep-equal.ts';
import type { Lease } from '../../kube/types/coordination.ts';

/** What a renewal says that the one before did not say. */
export interface Renewal {
  readonly resourceVersion: string;
  readonly renewTime: string;
}

/** Reads a body; `undefined`: it is another request, or has to be read as a whole. */
export type ReadRenewal = (body: Uint8Array) => Renewal | undefined;

/** How a format writes both parts, and reads the instant. */
interface Format {
  readonly version: (text: string) => Part;
  readonly time: (renewTime: string) => Part | undefined;
  readonly readTime: (body: Buffer, start: number, end: number) => string | undefined;
}

/** Bytes that are looked for, and how many of the first ones do not change. */
interface Part {
  readonly bytes: Buffer;
  readonly fixed: number;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

const VERSION = /^[1-9]\d{0,14}$/;
const INSTANT = /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
/** Most instants, without the days that only some months have. They need no calendar. */
const PLAIN_INSTANT =
  /^20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/;
const MILLISECONDS = '2026-01-05T00:00:00.000'.length;

/** Whether the text is an instant in the form in which it would be stored. */
const isInstant = (text: string): boolean => {
  if (PLAIN_INSTANT.test(text)) return true;
  if (!INSTANT.test(text)) return false;
  const given = text.slice(0, MILLISECONDS);
  const at = Date.parse(`${given}Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(given);
};

const member = (name: string, value: string): Part => {
  const begin = `"${name}":"`;
  return { bytes: Buffer.from(`${begin}${value}"`), fixed: begin.length };
};

const JSON_FORMAT: Format = {
  version: (text) => member('resourceVersion', text),
  time: (renewTime) => member('renewTime', renewTime),
  readTime: (body, start, end) => {
    const text = body.toString('latin1', start, end - 1);
    return body[end - 1] === QUOTE && isInstant(text) ? text : undefined;
  },
};
const QUOTE = 0x22;

/** Fields of `ObjectMeta`, `LeaseSpec` and `MicroTime` in protobuf: number and wire type. */
const [RESOURCE_VERSION, RENEW_TIME, SECONDS, NANOS] = [0x32, 0x22, 0x08, 0x10];
const NANOS_OF_MICRO = 1_000;

const varint = (value: number): readonly number[] =>
  value < 0x80 ? [value] : [(value % 0x80) + 0x80, ...varint(Math.floor(value / 0x80))];

/** A number whose bytes are the fewest possible, as `varint` writes it. */
const readVarint = (body: Buffer, start: number, end: number): number | undefined => {
  let value = 0;
  for (let at = end - 1; at >= start; at -= 1) {
    const byte = body[at] ?? 0;
    if (byte >= 0x80 === (at === end - 1)) return undefined;
    value = value * 0x80 + (byte & 0x7f);
  }
  return body[end - 1] === 0 ? undefined : value;
};

const instantBytes = (renewTime: string): readonly [seconds: readonly number[], nanos: readonly number[]] => [
  varint(Math.floor(Date.parse(renewTime) / 1_000)),
  varint(Number(renewTime.slice(-7, -1)) * NANOS_OF_MICRO),
];

const protobufTime = (renewTime: string): Part | undefined => {
  if (!isInstant(renewTime)) return undefined;
  const [seconds, nanos] = instantBytes(renewTime);
  const message = [SECONDS, ...seconds, NANOS, ...nanos];
  return { bytes: Buffer.from([RENEW_TIME, message.length, ...message]), fixed: 3 };
};

/** 2000 to 2100, in seconds since 1970. */
const [CENTURY, NEXT_CENTURY] = [946_684_800, 4_102_444_800];

let known = { seconds: Number.NaN, text: '' };

/** An instant without its fraction. Nodes mostly beat in the second of the beat before. */
const wholeSeconds = (seconds: number): string => {
  if (seconds !== known.seconds)
    known = { seconds, text: new Date(seconds * 1_000).toISOString().slice(0, -'.000Z'.length) };
  return known.text;
};

const readProtobufTime = (body: Buffer, start: number, end: number): string | undefined => {
  // Seconds of this century have five bytes.
  const tag = start + 5;
  if (body[tag] !== NANOS) return undefined;
  const seconds = readVarint(body, start, tag);
  const nanos = readVarint(body, tag + 1, end);
  if (seconds === undefined || nanos === undefined) return undefined;
  if (seconds < CENTURY || seconds >= NEXT_CENTURY) return undefined;
  if (nanos >= 1_000_000_000 || nanos % NANOS_OF_MICRO !== 0) return undefined;
  return `${wholeSeconds(seconds)}.${String(nanos / NANOS_OF_MICRO).padStart(6, '0')}Z`;
};

const PROTOBUF_FORMAT: Format = {
  version: (text) => ({
    bytes: Buffer.from([RESOURCE_VERSION, text.length, ...Buffer.from(text)]),
    fixed: 2,
  }),
  time: protobufTime,
  readTime: readProtobufTime,
};

/** Where the first `length` bytes of the part are that change; `undefined` if it is not there, or more than once. */
const placeOf = (
  body: Buffer,
  part: Part | undefined,
  length = (part?.bytes.byteLength ?? 0) - (part?.fixed ?? 0),
): Range | undefined => {
  if (!part) return undefined;
  const at = body.indexOf(part.bytes);
  if (at < 0 || body.lastIndexOf(part.bytes) !== at) return undefined;
  const start = at + part.fixed;
  return { start, end: start + length };
};

const readsOf = (
  body: Buffer,
  { version, time }: { readonly version: Range; readonly time: Range },
  format: Format,
): ReadRenewal => {
  const [first, second] = version.start < time.start ? [version, time] : [time, version];
  const isSame = (given: Buffer, start: number, end: number): boolean =>
    given.compare(body, start, end, start, end) === 0;
  return (bytes) => {
    const given = Buffer.isBuffer(bytes)
      ? bytes
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (given.byteLength !== body.byteLength) return undefined;
    if (
      !isSame(given, 0, first.start) ||
      !isSame(given, first.end, second.start) ||
      !isSame(given, second.end, body.byteLength)
    )
      return undefined;
    const renewTime = format.readTime(given, time.start, time.end);
    const resourceVersion = given.toString('latin1', version.start, version.end);
    if (renewTime === undefined || !VERSION.test(resourceVersion)) return undefined;
    return { resourceVersion, renewTime };
  };
};

/** Another value of the same length. */
const turned = (digits: string): string => digits.replaceAll(/\d/g, (digit) => String(9 - Number(digit)));

/** A body with another version and another instant, and what it has to be read as: the places are right if it is. */
const probeOf = (
  body: Buffer,
  { version, time }: { readonly version: Range; readonly time: Range },
  lease: Lease,
  isJson: boolean,
) => {
  const probe = Buffer.from(body);
  const resourceVersion = turned(lease.metadata.resourceVersion ?? '');
  const before = lease.spec?.renewTime ?? '';
  // The same instant some seconds away, so that its bytes are as many.
  const seconds = String((Number(before.slice(17, 19)) + 30) % 60).padStart(2, '0');
  const renewTime = `${before.slice(0, 17)}${seconds}${before.slice(19)}`;
  const parts = isJson
    ? [...Buffer.from(renewTime)]
    : instantBytes(renewTime).flatMap((one, place) => (place === 0 ? [...one, NANOS] : [...one]));
  probe.write(resourceVersion, version.start, 'latin1');
  probe.set(parts, time.start);
  return {
    probe,
    expected: {
      ...lease,
      metadata: { ...lease.metadata, resourceVersion },
      spec: { ...lease.spec, renewTime },
    },
  };
};

/**
 * Reads renewals like the one in `body`, which is `lease`. The places of its version and of its instant are found by their bytes, and proven by a
 * body that has other ones there, read by `decode`. `undefined` if they are not found, as in a body that was written in an unusual way.
 */
export const renewalReader = (
  given: Uint8Array,
  lease: Lease,
  isJson: boolean,
  decode: (body: Uint8Array) => Lease,
): ReadRenewal | undefined => {
  const body = Buffer.from(given);
  const format = isJson ? JSON_FORMAT : PROTOBUF_FORMAT;
  const { resourceVersion = '' } = lease.metadata;
  const { renewTime = '' } = lease.spec ?? {};
  if (!VERSION.test(resourceVersion) || !isInstant(renewTime)) return undefined;
  const version = placeOf(body, format.version(resourceVersion), resourceVersion.length);
  const time = placeOf(body, format.time(renewTime));
  if (!version || !time) return undefined;
  const places = { version, time };
  const { probe, expected } = probeOf(body, places, lease, isJson);
  return deepEqual(decode(probe), expected) ? readsOf(body, places, format) : undefined;
};
