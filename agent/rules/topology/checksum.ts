/** Checksums of the kubelet's checkpoint files. Source: kubernetes v1.34 pkg/kubelet/checkpointmanager, apimachinery `dump.ForHash`. */

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** FNV-1a of 32 bits, over UTF-8. Source: Go `hash/fnv`. */
const fnv32a = (text: string): number => {
  let hash = OFFSET;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, PRIME);
  return hash >>> 0;
};

/** A list of fields as Go's dump of a struct has them. */
export const dumpedStruct = (
  fields: readonly (readonly [name: string, type: string, value: string])[],
): string => `{${fields.map(([name, type, value]) => `${name}:(${type})${value}`).join(' ')}}`;

/** A map as Go's dump has it. The entries are in the order of their keys. */
export const dumpedMap = (entries: readonly (readonly [key: string, value: string])[]): string =>
  `map[${entries.map(([key, value]) => `${key}:${value}`).join(' ')}]`;

export const byName = <Value>(
  values: Readonly<Record<string, Value>>,
): readonly (readonly [string, Value])[] =>
  Object.entries(values).toSorted(([a], [b]) => {
    if (a === b) return 0;
    return a < b ? -1 : 1;
  });

/** Of a struct whose own checksum is 0 meanwhile. */
export const checksumOf = (type: string, dumped: string): number => fnv32a(`(*${type})${dumped}`);

export const CORRUPTED = 'checkpoint is corrupted';

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object that a file holds. */
export const parsedCheckpoint = (
  text: string,
): { readonly kept: Readonly<Record<string, unknown>> } | { readonly error: string } => {
  if (text.trim() === '') return { error: 'unexpected end of JSON input' };
  try {
    const kept: unknown = JSON.parse(text);
    return isObject(kept) ? { kept } : { error: CORRUPTED };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
};
