/**
 * Path elements for members of maps and elements of lists. Source: structured-merge-diff v6 `fieldpath/element.go`,
 * `typed/helpers.go`.
 */
import type { JsonObject } from '../json/json-object.ts';
import { isObject } from '../json/json-object.ts';
import type { ListType } from '../schema/field-types.ts';

/** Defaults of key fields. Source: kubernetes v1.34 `types.go`, the `default` markers of ports. */
const KEY_DEFAULTS: JsonObject = { protocol: 'TCP' };

export const fieldElement = (name: string): string => `f:${name}`;

const keyValue = (element: JsonObject, key: string): readonly (readonly [string, unknown])[] => {
  const value = Object.hasOwn(element, key) ? element[key] : KEY_DEFAULTS[key];
  return value === undefined ? [] : [[key, value]];
};

/** Whether the elements of a list have separate owners. */
export const isAssociative = ({ mapKeys }: ListType): boolean => mapKeys !== undefined;

/** The error message for an element of an associative list; `undefined` if it is valid. */
export const elementFault = (element: unknown, { mapKeys = [] }: ListType): string | undefined => {
  if (mapKeys.length === 0) {
    if (isObject(element)) return "associative list without keys has an element that's a map type";
    return element === null
      ? "associative list without keys has an element that's an explicit null"
      : undefined;
  }
  if (element === null) return 'associative list with keys may not have a null element';
  if (!isObject(element)) return 'associative list with keys may not have non-map elements';
  return mapKeys.some((key) => keyValue(element, key).length > 0)
    ? undefined
    : `associative list with keys has an element that omits all key fields [${mapKeys.map((key) => JSON.stringify(key)).join(' ')}] (and doesn't have default values for any key fields)`;
};

/** The path element for an element of a list. */
export const listElement = (element: unknown, { mapKeys = [] }: ListType): string => {
  if (mapKeys.length === 0 || !isObject(element)) return `v:${JSON.stringify(element)}`;
  const sorted = mapKeys.length === 1 ? mapKeys : mapKeys.toSorted();
  const keys = sorted.flatMap((key) => keyValue(element, key));
  return `k:{${keys.map(([key, value]) => `"${key}":${JSON.stringify(value)}`).join(',')}}`;
};

const printElement = (element: string): string => {
  const [kind, text] = [element.slice(0, 1), element.slice(2)];
  if (kind === 'f') return `.${text}`;
  if (kind === 'v') return `[=${text}]`;
  if (kind === 'i') return `[${text}]`;
  const keys = Object.entries(JSON.parse(text) as object) as [string, unknown][];
  return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}]`;
};

/** Formats a path, such as `.status.conditions[type="Ready"].status`. */
export const printPath = (path: readonly string[]): string => path.map(printElement).join('');
