/** Merges lists in a strategic merge patch. Source: apimachinery v1.34 `strategicpatch/patch.go` (`mergeSlice`). */

import { badRequest } from '../errors/status-error.ts';
import type { JsonObject } from '../json/json-object.ts';
import { isObject } from '../json/json-object.ts';
import type { Identify } from './element-order.ts';
import { firstPlaces, inElementOrder } from './element-order.ts';
import { printGoValue } from './go-value.ts';
import { badDirective } from './patch-directives.ts';

const keyOf = (element: unknown, key: string): unknown => {
  if (!isObject(element))
    throw badRequest(`expected a map[string]interface {}, but received a ${goType(element)}`);
  if (!Object.hasOwn(element, key))
    throw badRequest(`map: ${printGoValue(element)} does not contain declared merge key: ${key}`);
  return element[key];
};

const goType = (value: unknown): string => {
  if (Array.isArray(value)) return '[]interface {}';
  return { boolean: 'bool', number: 'int64', string: 'string' }[typeof value as string] ?? '<nil>';
};

/**
 * Identifies elements by their merge key, or by their value if there is no key. The function throws 400 for an element
 * without the key.
 */
export const identifyBy = (key: string | undefined): Identify =>
  key ? (element) => keyOf(element, key) : (element) => element;

/** Merges two lists of primitives without duplicates, in the order of the patch. */
export const primitives = (live: readonly unknown[], patch: readonly unknown[]): readonly unknown[] =>
  inElementOrder([...new Set([...live, ...patch])], { wanted: patch, live, identify: identifyBy(undefined) });

interface Sorted {
  readonly elements: readonly JsonObject[];
  readonly removed: ReadonlySet<unknown>;
  readonly replaces: boolean;
}

const readDirective = (element: JsonObject, key: string): 'element' | 'delete' | 'replace' => {
  const directive = element['$patch'];
  if (directive === undefined) return 'element';
  if (directive === 'merge') throw badRequest('merging lists cannot yet be specified in the patch');
  if (directive !== 'delete' && directive !== 'replace') throw badDirective(directive, element);
  if (directive === 'delete') keyOf(element, key);
  return directive;
};

const sortedOut = (patch: readonly unknown[], key: string): Sorted => {
  const elements = patch.map((element) => (isObject(element) ? element : { [key]: keyOf(element, key) }));
  const read = elements.map((element) => ({ element, directive: readDirective(element, key) }));
  const of = (wanted: string) =>
    read.filter(({ directive }) => directive === wanted).map(({ element }) => element);
  return {
    elements: of('element'),
    removed: new Set(of('delete').map((element) => element[key])),
    replaces: of('replace').length > 0,
  };
};

type Merge = (live: JsonObject, patch: JsonObject) => JsonObject;

/** Merges each element of `patch` into the live element with the same key; new elements come first. */
export const mergeElements = (
  live: readonly unknown[],
  patch: readonly unknown[],
  key: string,
  merge: Merge,
): readonly unknown[] => {
  const { elements, removed, replaces } = sortedOut(patch, key);
  const identify = identifyBy(key);
  // Elements of one key end up together.
  if (replaces) return inElementOrder(elements, { wanted: [], live: elements, identify });
  const kept = live.filter((element) => !removed.has(identify(element)));
  const merged = [...kept];
  const places = firstPlaces(kept, identify);
  for (const element of elements) {
    const name = keyOf(element, key);
    const at = places.get(name) ?? merged.length;
    const found = merged[at];
    places.set(name, at);
    merged[at] = isObject(found) ? merge(found, element) : element;
  }
  return inElementOrder(merged, { wanted: elements, live: kept, identify });
};
