/** Encoding of stored values: deflated JSON, UUIDs as 16 bytes, one text for equal taints. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { FormerTaint, NoExecuteTaint } from '../../domain/nodes/taints.ts';

/** A stored row, as the document client gives it. */
export type Item = Readonly<Record<string, unknown>>;

export const deflateJson = (value: unknown): Uint8Array => deflateRawSync(JSON.stringify(value));

export const inflateJson = (bytes: Uint8Array): unknown => JSON.parse(inflateRawSync(bytes).toString('utf8'));

/** Deflates small values of known shape: text that is in `dictionary` costs almost nothing. */
export const deflateWith = (dictionary: string, value: unknown): Uint8Array =>
  deflateRawSync(JSON.stringify(value), { dictionary: Buffer.from(dictionary) });

export const inflateWith = (dictionary: string, bytes: Uint8Array): unknown =>
  JSON.parse(inflateRawSync(bytes, { dictionary: Buffer.from(dictionary) }).toString('utf8'));

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** 16 bytes for a UUID in lower case, any other text as it is; equal ids stay equal, so conditions may compare them. */
export const packId = (id: string): Uint8Array | string =>
  UUID.test(id) ? Buffer.from(id.replaceAll('-', ''), 'hex') : id;

export const unpackId = (packed: unknown): string => {
  if (!(packed instanceof Uint8Array)) return String(packed);
  const hex = Buffer.from(packed).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};

const byKey = (a: NoExecuteTaint, b: NoExecuteTaint): number => Number(a.key > b.key) - Number(a.key < b.key);

/** The same text for the same taints in any order, so that a condition can compare them for equality. */
export const packNoExecute = (taints: readonly NoExecuteTaint[]): string =>
  JSON.stringify(
    taints.toSorted(byKey).map(({ key, since, value }) => [key, since, ...(value ? [value] : [])]),
  );

export const unpackNoExecute = (packed: string): readonly NoExecuteTaint[] => {
  const taints: readonly [key: string, since: number, value?: string][] = JSON.parse(packed);
  return taints.map(([key, since, value]) => ({ key, since, ...(value === undefined ? {} : { value }) }));
};

/** Oldest first, as they are. */
export const packFormerTaints = (taints: readonly FormerTaint[] | undefined): string | undefined =>
  taints &&
  JSON.stringify(
    taints.map(({ key, since, goneAt, value }) => [key, since, goneAt, ...(value ? [value] : [])]),
  );

export const unpackFormerTaints = (packed: string | undefined): readonly FormerTaint[] | undefined => {
  if (packed === undefined) return undefined;
  const taints: readonly [key: string, since: number, goneAt: number, value?: string][] = JSON.parse(packed);
  return taints.map(([key, since, goneAt, value]) => ({ key, since, goneAt, ...given('value', value) }));
};

/** TTL in whole seconds, rounded up so that no row is removed too early. */
export const toTtl = (at: number): number => Math.ceil(at / 1000);

export const fromTtl = (seconds: number): number => seconds * 1000;

export const numberOf = (item: Item, name: string): number | undefined => {
  const value = item[name];
  return typeof value === 'number' ? value : undefined;
};

export const textOf = (item: Item, name: string): string | undefined => {
  const value = item[name];
  return typeof value === 'string' ? value : undefined;
};

export const bytesOf = (item: Item, name: string): Uint8Array | undefined => {
  const value = item[name];
  return value instanceof Uint8Array ? value : undefined;
};

/** The value of a mandatory attribute. Throws if it is missing, which is a bug. */
export const requiredAttribute = <T>(value: T | undefined, name: string): T => {
  if (value === undefined) throw new Error(`stored row lacks the attribute "${name}"`);
  return value;
};

/** `{ [name]: value }`, or nothing for `undefined`. */
export const given = <K extends string, T>(name: K, value: T | undefined): { readonly [P in K]?: T } =>
  value === undefined ? {} : ({ [name]: value } as { readonly [P in K]?: T });
