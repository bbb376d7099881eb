/**
 * Strategic merge patches: maps merge member by member, lists as their schema says, unless a directive in the patch
 * says otherwise.
 * Source: apimachinery v1.34 `util/strategicpatch/patch.go`.
 */

import { badRequest } from '../errors/status-error.ts';
import type { JsonObject } from '../json/json-object.ts';
import { isObject } from '../json/json-object.ts';
import { ownMember } from '../json/own-member.ts';
import type { FieldType } from '../schema/field-types.ts';
import { isReplaced } from '../schema/list-semantics.ts';
import { inElementOrder } from './element-order.ts';
import { printGoValue } from './go-value.ts';
import { identifyBy, mergeElements, primitives } from './list-merge.ts';
import { badDirective, withoutDirectives, withoutNulls } from './patch-directives.ts';

const PATCH = '$patch';
const RETAIN_KEYS = '$retainKeys';
const SET_ORDER = '$setElementOrder/';
const DELETE_PRIMITIVES = '$deleteFromPrimitiveList/';

type Type = FieldType | undefined;

const typeOfMember = (type: Type, name: string): Type => {
  if (type?.type === 'map') return type.of;
  return type?.type === 'struct' && Object.hasOwn(type.fields, name) ? type.fields[name] : undefined;
};

const mergeKeyOf = (type: Type): string | undefined =>
  type?.type === 'list' ? type.patchMergeKey : undefined;

const elementType = (type: Type): Type => (type?.type === 'list' ? type.of : undefined);

const mergeList = (live: readonly unknown[], patch: readonly unknown[], type: Type): readonly unknown[] => {
  const key = mergeKeyOf(type);
  if (key === undefined) return patch;
  const of = elementType(type);
  return key === ''
    ? primitives(live, patch)
    : mergeElements(live, patch, key, (element, change) => mergeMembers(element, change, of));
};

/** The value that a patch sets when there is no live value to merge it with; `undefined` if it sets none. */
const inserted = (value: unknown): unknown => withoutDirectives(withoutNulls(value));

const mergeMember = (live: unknown, patch: unknown, type: Type, replaces: boolean): unknown => {
  if (isObject(live) && isObject(patch)) return replaces ? patch : mergeMembers(live, patch, type);
  if (Array.isArray(live) && Array.isArray(patch)) return mergeList(live, patch, type);
  return inserted(patch);
};

const retained = (live: JsonObject, patch: JsonObject): JsonObject => {
  const names = patch[RETAIN_KEYS];
  if (names === undefined) return live;
  if (!Array.isArray(names)) throw badRequest('invalid patch format of retainKeys');
  const kept: ReadonlySet<unknown> = new Set(names);
  const isStray = ([name, value]: readonly [string, unknown]): boolean =>
    value !== null && !name.startsWith('$') && !kept.has(name);
  if (Object.entries(patch).some(isStray)) throw badRequest('invalid patch format of retainKeys');
  return Object.fromEntries(Object.entries(live).filter(([name]) => kept.has(name)));
};

const isDeletion = (element: unknown): boolean => isObject(element) && element[PATCH] === 'delete';

const checkOrder = (patch: readonly unknown[], order: readonly unknown[], key: string | undefined): void => {
  if (patch.length === 0 || order.length === 0) return;
  const identify = identifyBy(key);
  const wanted = patch.filter((element) => !isDeletion(element)).map(identify);
  let found = 0;
  for (const element of order) if (found < wanted.length && identify(element) === wanted[found]) found += 1;
  if (found < wanted.length)
    throw badRequest(
      `The order in patch list:\n${printGoValue(patch)}\n doesn't match $setElementOrder list:\n${printGoValue(order)}\n`,
    );
};

const listOf = (value: unknown): readonly unknown[] => {
  if (value === undefined || Array.isArray(value)) return value ?? [];
  throw badRequest(
    `expected a []interface {}, but received a ${isObject(value) ? 'map[string]interface {}' : typeof value}`,
  );
};

const orderedList = (live: JsonObject, patch: JsonObject, name: string, type: Type): readonly unknown[] => {
  const order = patch[`${SET_ORDER}${name}`];
  if (!Array.isArray(order)) throw badRequest('invalid patch format of setElementOrder list');
  const [there, wanted] = [ownMember(live, name), ownMember(patch, name)];
  const [before, given] = [listOf(there), listOf(wanted ?? undefined)];
  const key = mergeKeyOf(type);
  checkOrder(given, order, key);
  const merged =
    there === undefined ? (inserted(given) as readonly unknown[]) : mergeGiven(before, given, type);
  return inElementOrder(merged, { wanted: order, live: before, identify: identifyBy(key) });
};

const mergeGiven = (live: readonly unknown[], given: readonly unknown[], type: Type): readonly unknown[] =>
  given.length === 0 ? live : mergeList(live, given, type);

const namesAfter = (patch: JsonObject, prefix: string): readonly string[] =>
  Object.keys(patch).flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));

const mergeOrdered = (live: JsonObject, patch: JsonObject, type: Type): JsonObject => {
  const names = namesAfter(patch, SET_ORDER).filter(
    (name) => ownMember(live, name) !== undefined || ownMember(patch, name) !== undefined,
  );
  const lists = names.map((name) => [name, orderedList(live, patch, name, typeOfMember(type, name))]);
  return { ...live, ...Object.fromEntries(lists) };
};

const withoutPrimitives = (live: JsonObject, patch: JsonObject): JsonObject => {
  const lists = namesAfter(patch, DELETE_PRIMITIVES)
    .filter((name) => Array.isArray(ownMember(live, name)))
    .map((name) => {
      const gone = new Set(listOf(patch[`${DELETE_PRIMITIVES}${name}`]));
      return [name, listOf(ownMember(live, name)).filter((element) => !gone.has(element))];
    });
  return { ...live, ...Object.fromEntries(lists) };
};

/** The members of a patch that remain to be merged one by one, after directives and ordered lists were handled. */
const plainMembers = (patch: JsonObject): readonly (readonly [string, unknown])[] =>
  Object.entries(patch).filter(
    ([name]) =>
      !name.startsWith(SET_ORDER) &&
      !name.startsWith(DELETE_PRIMITIVES) &&
      name !== RETAIN_KEYS &&
      !Object.hasOwn(patch, `${SET_ORDER}${name}`),
  );

const mergePlain = (live: JsonObject, patch: JsonObject, type: Type): JsonObject => {
  const merged = new Map(Object.entries(live));
  for (const [name, value] of plainMembers(patch)) {
    const replaces = type?.type === 'struct' && isReplaced(type.message, name);
    const member =
      value === null ? undefined : mergeMember(merged.get(name), value, typeOfMember(type, name), replaces);
    if (member === undefined) merged.delete(name);
    else merged.set(name, member);
  }
  return Object.fromEntries(merged);
};

const replaceOrDelete = (patch: JsonObject): JsonObject => {
  const { [PATCH]: directive, ...rest } = patch;
  if (directive === 'replace') return rest;
  if (directive === 'delete') return {};
  throw badDirective(directive, patch);
};

const mergeMembers = (live: JsonObject, patch: JsonObject, type: Type): JsonObject => {
  if (patch[PATCH] !== undefined) return replaceOrDelete(patch);
  const ordered = mergeOrdered(retained(live, patch), patch, type);
  return mergePlain(withoutPrimitives(ordered, patch), patch, type);
};

/** Applies a strategic merge patch. Throws 400 for a patch that cannot be merged, with Kubernetes' message. */
export const applyStrategicMerge = (target: JsonObject, patch: JsonObject, type: FieldType): JsonObject =>
  mergeMembers(target, patch, type);
