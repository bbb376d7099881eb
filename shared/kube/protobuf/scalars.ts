/**
 * Reads messages that are a single value in JSON: times, quantities, ports, bytes. Source: apimachinery v1.34
 * `meta/v1`, `util/intstr`.
 */
import { surveyJson } from '../json/json-members.ts';
import { checkBodyValues } from '../json/value-limits.ts';
import { DecodeError } from '../schema/go-types.ts';
import { toTime } from '../values/time.ts';
import type { Reader } from './reader.ts';
import { readBytes, readInner, readInt32, readInt64, readTag, readText, skipField } from './reader.ts';

type Parts = Record<number, number | string>;
type ReadPart = (reader: Reader) => number | string;

/** Reads the fields of a small message, by number. */
const readParts = (outer: Reader, message: string, parts: Readonly<Record<number, ReadPart>>): Parts => {
  const reader = readInner(outer);
  const found: Parts = {};
  while (reader.at < reader.end) {
    const [number, wire] = readTag(reader, message);
    const read = parts[number];
    if (!read) skipField(reader, wire);
    else if ((wire === 2) === (read === readText)) found[number] = read(reader);
    else throw new DecodeError(`proto: wrong wireType = ${wire} for field ${number} of ${message}`);
  }
  return found;
};

/** The first second of year 1 and of year 10,000, in Unix seconds. Times outside of them have no RFC 3339 form. */
const [FIRST_SECOND, END_SECOND] = [-62_135_596_800, 253_402_300_800];
const TIME_PARTS = { 1: readInt64, 2: readInt32 };

/** Reads a time. A message without fields is the zero time, which is `null` in JSON. */
const readInstant = (reader: Reader, message: string, text: (seconds: number, nanos: number) => string) => {
  const parts = readParts(reader, message, TIME_PARTS);
  if (Object.keys(parts).length === 0) return null;
  const seconds = Number(parts[1] ?? 0);
  if (seconds < FIRST_SECOND || seconds >= END_SECOND)
    throw new DecodeError(`${message}.MarshalJSON: year outside of range [0,9999]`);
  return text(seconds, Number(parts[2] ?? 0));
};

/** Reads a Time, as RFC 3339 with whole seconds. */
export const readTime = (reader: Reader): string | null =>
  readInstant(reader, 'Time', (seconds) => toTime(seconds * 1000));

const NANOS = 1_000_000_000;

// Nanoseconds below zero or above a second carry over into the seconds.
const microTime = (seconds: number, nanos: number): string => {
  const whole = seconds + Math.floor(nanos / NANOS);
  const micros = Math.floor((((nanos % NANOS) + NANOS) % NANOS) / 1000);
  return `${toTime(whole * 1000).slice(0, -1)}.${String(micros).padStart(6, '0')}Z`;
};

/** Reads a MicroTime, as RFC 3339 with six decimals. */
export const readMicroTime = (reader: Reader): string | null => readInstant(reader, 'MicroTime', microTime);

export const readQuantity = (reader: Reader): string =>
  String(readParts(reader, 'Quantity', { 1: readText })[1] ?? '0');

export const readIntOrString = (reader: Reader): number | string => {
  const parts = readParts(reader, 'IntOrString', { 1: readInt64, 2: readInt32, 3: readText });
  return parts[1] === 1 ? (parts[3] ?? '') : (parts[2] ?? 0);
};

const parseRaw = (text: string, goType: string): unknown => {
  checkBodyValues(surveyJson(text).values);
  try {
    return text === '' ? null : (JSON.parse(text) as unknown);
  } catch {
    throw new DecodeError(`json: error calling MarshalJSON for type *${goType}: invalid JSON`);
  }
};

/** Reads `FieldsV1`, which is encoded as JSON. */
export const readFieldsV1 = (reader: Reader): unknown =>
  parseRaw(String(readParts(reader, 'FieldsV1', { 1: readText })[1] ?? ''), 'v1.FieldsV1');

/** Reads an embedded object, which is encoded as JSON. */
export const readRawExtension = (reader: Reader): unknown =>
  parseRaw(String(readParts(reader, 'RawExtension', { 1: readText })[1] ?? ''), 'runtime.RawExtension');

/** The most bytes that are passed to one call, whose number of arguments is limited. */
const CHUNK = 8_192;

/** Reads bytes as base64, the JSON form of bytes. */
export const readBase64 = (reader: Reader): string => {
  const bytes = readBytes(reader);
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK)
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(binary);
};
