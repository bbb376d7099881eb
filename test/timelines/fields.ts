/** An object as a table of its fields, in which two versions of it can be compared. */

/** By path, such as `status.conditions[Ready]`. */
export type Fields = ReadonlyMap<string, unknown>;

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const OF_METADATA = new Set(['resourceVersion', 'uid', 'managedFields', 'creationTimestamp']);
const OF_BEATS = new Set(['lastHeartbeatTime', 'lastProbeTime']);
/** Lists whose order is chance. */
const SETS = new Set(['taints', 'volumesAttached', 'volumesInUse']);

const isLeftOut = (key: string, parent: string): boolean =>
  OF_BEATS.has(key) || (parent === 'metadata' && OF_METADATA.has(key));

const byText = (a: Json, b: Json): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

/** Without what changes with each run or each beat; keys in order, `text` applied to all strings. */
export const normalised = (value: Json, text: (given: string) => string, parent = ''): Json => {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) {
    const items = value.map((item: Json) => normalised(item, text));
    return SETS.has(parent) ? items.toSorted(byText) : items;
  }
  if (!isObject(value)) return value;
  const kept = Object.keys(value)
    .filter((key) => !isLeftOut(key, parent))
    .toSorted();
  return Object.fromEntries(kept.map((key) => [text(key), normalised(value[key] ?? null, text, key)]));
};

interface Typed {
  readonly type: string;
  readonly status: string;
}

const isTyped = (item: Json): boolean => isObject(item) && Boolean(item['type']) && Boolean(item['status']);

/** An absent parent and an empty one are alike. */
const MAY_BE_EMPTY = /^(spec|status|metadata(\.(labels|annotations))?)$/v;

function* pathsOf(value: Json, path: string): Generator<[string, Json]> {
  if (isObject(value) && Object.keys(value).length > 0) {
    for (const [key, inner] of Object.entries(value))
      yield* pathsOf(inner, path === '' ? key : `${path}.${key}`);
  } else if (Array.isArray(value) && value.length > 0 && value.every(isTyped)) {
    for (const item of value) yield [`${path}[${(item as unknown as Typed).type}]`, item];
  } else if (!isObject(value) || !MAY_BE_EMPTY.test(path)) yield [path, value];
}

/** Of a normalised object. Conditions are fields by their type; other lists are whole. */
export const fieldsOf = (object: Json): Fields => new Map(pathsOf(object, ''));

export interface Difference {
  readonly set: Readonly<Record<string, unknown>>;
  /** Fields that are gone; absent if there are none. */
  readonly unset?: readonly string[];
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** `undefined` if nothing differs. */
export const differenceOf = (before: Fields, after: Fields): Difference | undefined => {
  const set = [...after.keys()].filter((path) => !isSame(before.get(path), after.get(path))).toSorted();
  const unset = [...before.keys()].filter((path) => !after.has(path)).toSorted();
  if (set.length + unset.length === 0) return undefined;
  return {
    set: Object.fromEntries(set.map((path) => [path, after.get(path)])),
    ...(unset.length > 0 ? { unset } : {}),
  };
};
