/** Encodes stored values: JSON is deflated, UUIDs are 16 bytes, and equal taints have equal texts. */

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { optional } from '../../../kube/values/optional.ts';
import type { Loss } from '../../../rules/nodes/flapping.ts';
import type { FormerTaint, NoExecuteTaint } from '../../../rules/nodes/taints.ts';

/** A stored item, as the document client returns it. */
export type Item = Readonly<Record<string, unknown>>;

/** Deflates the JSON text of a value. */
export const deflateJson = (value: unknown): Uint8Array => deflateRawSync(JSON.stringify(value));

/** Parses deflated JSON. */
export type InflateJson = (bytes: Uint8Array) => unknown;

/** The inverse of `deflateJson`. */
export const inflateJson: InflateJson = (bytes) => JSON.parse(inflateRawSync(bytes).toString('utf8'));

/** Inflates JSON as `inflateJson` does, and counts its characters. */
export const countingInflate = (): { readonly inflate: InflateJson; readonly characters: () => number } => {
  let characters = 0;
  return {
    inflate: (bytes) => {
      const text = inflateRawSync(bytes).toString('utf8');
      characters += text.length;
      return JSON.parse(text);
    },
    characters: () => characters,
  };
};

/** Deflates a small value of known shape. Text that `dictionary` contains takes almost no space. */
export const deflateWith = (dictionary: string, value: unknown): Uint8Array =>
  deflateRawSync(JSON.stringify(value), { dictionary: Buffer.from(dictionary) });

/** The inverse of `deflateWith`, with the same dictionary. */
export const inflateWith = (dictionary: string, bytes: Uint8Array): unknown =>
  JSON.parse(inflateRawSync(bytes, { dictionary: Buffer.from(dictionary) }).toString('utf8'));

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A UUID in lower case as 16 bytes; any other text unchanged. Equal ids have equal packed forms, so conditions may compare them. */
export const packId = (id: string): Uint8Array | string =>
  UUID.test(id) ? Buffer.from(id.replaceAll('-', ''), 'hex') : id;

/** The inverse of `packId`. */
export const unpackId = (packed: unknown): string => {
  if (!(packed instanceof Uint8Array)) return String(packed);
  const hex = Buffer.from(packed).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};

const byKey = (a: NoExecuteTaint, b: NoExecuteTaint): number => Number(a.key > b.key) - Number(a.key < b.key);

/** Packs taints. The same taints in any order give the same text, so that a condition can compare them. */
export const packNoExecute = (taints: readonly NoExecuteTaint[]): string =>
  JSON.stringify(
    taints.toSorted(byKey).map(({ key, since, value }) => [key, since, ...(value ? [value] : [])]),
  );

/** The inverse of `packNoExecute`; the taints are sorted by key. */
export const unpackNoExecute = (packed: string): readonly NoExecuteTaint[] => {
  const taints: readonly [key: string, since: number, value?: string][] = JSON.parse(packed);
  return taints.map(([key, since, value]) => ({ key, since, ...optional('value', value) }));
};

/** Packs former taints in their order; `undefined` for none. */
export const packFormerTaints = (taints: readonly FormerTaint[] | undefined): string | undefined =>
  taints &&
  JSON.stringify(
    taints.map(({ key, since, goneAt, value }) => [key, since, goneAt, ...(value ? [value] : [])]),
  );

/** The inverse of `packFormerTaints`. */
export const unpackFormerTaints = (packed: string | undefined): readonly FormerTaint[] | undefined => {
  if (packed === undefined) return undefined;
  const taints: readonly [key: string, since: number, goneAt: number, value?: string][] = JSON.parse(packed);
  return taints.map(([key, since, goneAt, value]) => ({ key, since, goneAt, ...optional('value', value) }));
};

/** Packs losses of readiness as numbers; `undefined` for none. */
export const packLosses = (losses: readonly Loss[] | undefined): string | undefined =>
  losses && JSON.stringify(losses.map(({ lostAt }) => lostAt));

/** The inverse of `packLosses`. */
export const unpackLosses = (packed: string | undefined): readonly Loss[] | undefined => {
  if (packed === undefined) return undefined;
  const instants: readonly number[] = JSON.parse(packed);
  return instants.map((lostAt) => ({ lostAt }));
};

/** The TTL attribute for an instant (ms): whole seconds, rounded up so that no row is removed too early. */
export const toTtl = (at: number): number => Math.ceil(at / 1000);

/** The instant (ms) of a TTL attribute. */
export const fromTtl = (seconds: number): number => seconds * 1000;

/** The attribute if it is a number. */
export const numberOf = (item: Item, name: string): number | undefined => {
  const value = item[name];
  return typeof value === 'number' ? value : undefined;
};

/** The attribute if it is a string. */
export const textOf = (item: Item, name: string): string | undefined => {
  const value = item[name];
  return typeof value === 'string' ? value : undefined;
};

/** The attribute if it is binary. */
export const bytesOf = (item: Item, name: string): Uint8Array | undefined => {
  const value = item[name];
  return value instanceof Uint8Array ? value : undefined;
};

/** The value of a mandatory attribute. Throws if it is missing, which is a bug. */
export const requiredAttribute = <T>(value: T | undefined, name: string): T => {
  if (value === undefined) throw new Error(`stored row lacks the attribute "${name}"`);
  return value;
};
