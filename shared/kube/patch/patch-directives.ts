import type { StatusError } from '../errors/status-error.ts';
import { badRequest } from '../errors/status-error.ts';
import type { JsonObject } from '../json/json-object.ts';
import { isObject } from '../json/json-object.ts';
import { printGoValue } from './go-value.ts';

/** The 400 for an unknown value of `$patch`. */
export const badDirective = (directive: unknown, element: JsonObject): StatusError =>
  badRequest(`unknown patch type: ${printGoValue(directive)} in map: ${printGoValue(element)}`);

/** Removes null members at every depth: in an inserted value there is nothing for them to delete. */
export const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutNulls(inner)]));
};

/** Removes maps with a `$patch` directive at every depth. Returns `undefined` if the value itself is such a map. */
export const withoutDirectives = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((element) => element !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, '$patch')) return undefined;
  const members = Object.entries(value).map(([name, inner]) => [name, withoutDirectives(inner)] as const);
  return Object.fromEntries(members.filter(([, inner]) => inner !== undefined));
};
