/**
 * The protobuf envelope of an object: its apiVersion, kind and bytes. Source: apimachinery v1.34 `serializer/protobuf`.
 */
import { DecodeError } from '../schema/go-types.ts';
import type { Reader } from './reader.ts';
import { readBytes, readerOf, readInner, readTag, readText, skipField, WIRE } from './reader.ts';

/** An opened envelope: the kind of the object and the bytes of its message. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

/** The prefix of each body: `k8s` and a zero byte. */
const MAGIC = [0x6b, 0x38, 0x73, 0x00] as const;

const checkMagic = (body: Uint8Array): void => {
  if (body.length === 0) throw new DecodeError('empty data');
  if (!MAGIC.every((byte, at) => body[at] === byte))
    throw new DecodeError(
      `provided data does not appear to be a protobuf message, expected prefix [${MAGIC.join(' ')}]`,
    );
  if (body.length === MAGIC.length) throw new DecodeError('empty body');
};

const checkWire = (wire: number, field: string): void => {
  if (wire !== WIRE.bytes) throw new DecodeError(`proto: wrong wireType = ${wire} for field ${field}`);
};

const readTypeMeta = (reader: Reader): Pick<Envelope, 'apiVersion' | 'kind'> => {
  let [apiVersion, kind] = ['', ''];
  while (reader.at < reader.end) {
    const [number, wire] = readTag(reader, 'TypeMeta');
    if (number === 1 || number === 2) checkWire(wire, number === 1 ? 'APIVersion' : 'Kind');
    if (number === 1) apiVersion = readText(reader);
    else if (number === 2) kind = readText(reader);
    else skipField(reader, wire);
  }
  return { apiVersion, kind };
};

/** Reads the envelope. Throws `DecodeError` for a body that is not one. */
export const openEnvelope = (body: Uint8Array): Envelope => {
  checkMagic(body);
  const reader = readerOf(body.subarray(MAGIC.length));
  let envelope: Envelope = { apiVersion: '', kind: '', raw: new Uint8Array() };
  while (reader.at < reader.end) {
    const [number, wire] = readTag(reader, 'Unknown');
    if (number === 1 || number === 2) checkWire(wire, number === 1 ? 'TypeMeta' : 'Raw');
    if (number === 1) envelope = { ...envelope, ...readTypeMeta(readInner(reader)) };
    else if (number === 2) envelope = { ...envelope, raw: readBytes(reader) };
    else skipField(reader, wire);
  }
  return envelope;
};
