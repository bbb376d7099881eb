/** Merges an applied configuration into an object. Source: structured-merge-diff v6 `typed/merge.go`. */
import type { JsonObject } from '../json/json-object.ts';
import { ownMember, setMember } from '../json/own-member.ts';
import type { FieldType, ListType } from '../schema/field-types.ts';
import { listElement } from './path-element.ts';
import { elementsOf, isLeafPair, isList, membersOf, memberType } from './typed.ts';

interface Named {
  readonly name: string;
  readonly element: unknown;
}

const namedElements = (list: unknown, type: ListType): readonly Named[] =>
  elementsOf(list).map((element) => ({ name: listElement(element, type), element }));

/**
 * The order of a merged list: the elements of the configuration in its order. Live elements that it does not have come
 * before the next element that both have.
 */
const mergedOrder = (live: readonly string[], wanted: readonly string[]): readonly string[] => {
  const [inLive, inWanted] = [new Set(live), new Set(wanted)];
  const shared = wanted.filter((name) => inLive.has(name));
  const order: string[] = [];
  let [at, met] = [0, 0];
  for (const name of wanted) {
    for (let own = live[at]; own !== undefined && own !== name && own !== shared[met]; own = live[at]) {
      if (!inWanted.has(own)) order.push(own);
      at += 1;
    }
    order.push(name);
    if (shared[met] === name) met += 1;
    if (live[at] === name) at += 1;
  }
  return [...order, ...live.slice(at).filter((name) => !inWanted.has(name))];
};

/**
 * The live element to merge. Of several with the same name: none if the configuration has one, else the next of them.
 */
const liveElement = (named: readonly Named[], isGiven: boolean, met: number): unknown => {
  if (named.length > 1 && isGiven) return undefined;
  return named[named.length > 1 ? met : 0]?.element;
};

const mergeElements = (live: unknown, config: unknown, type: ListType): readonly unknown[] => {
  const [was, wanted] = [namedElements(live, type), namedElements(config, type)];
  const order = mergedOrder(
    was.map(({ name }) => name),
    wanted.map(({ name }) => name),
  );
  const before = Map.groupBy(was, ({ name }) => name);
  const after = new Map(wanted.map((one) => [one.name, one]));
  const met = new Map<string, number>();
  return order.map((name) => {
    const given = after.get(name);
    const times = met.get(name) ?? 0;
    met.set(name, times + 1);
    const element = liveElement(before.get(name) ?? [], given !== undefined, times);
    return mergeTyped(element, given?.element, type.of);
  });
};

/** The merged values by name. Returns `wanted` itself if it has the same values, to avoid a copy. */
const sharedMembers = (wanted: JsonObject, names: readonly string[], merged: readonly unknown[]): object => {
  if (names.every((name, index) => wanted[name] === merged[index])) return wanted;
  const members: Record<string, unknown> = {};
  for (const [index, name] of names.entries()) setMember(members, name, merged[index]);
  return members;
};

const mergeMembers = (live: unknown, config: unknown, type: FieldType): object => {
  const [was, wanted] = [membersOf(live), membersOf(config)];
  const names = Object.keys(wanted);
  const merged = names.map((name) => {
    const inner = memberType(type, name);
    const before = ownMember(was, name);
    return inner ? mergeTyped(before, wanted[name], inner) : before;
  });
  const before = Object.keys(was);
  // The result keeps the order of the live members. If the configuration begins with the same members, its order is the
  // same.
  if (before.length <= names.length && before.every((name, index) => name === names[index]))
    return sharedMembers(wanted, names, merged);
  const members: Record<string, unknown> = { ...was };
  for (const [index, name] of names.entries()) setMember(members, name, merged[index]);
  return members;
};

/** Merges `config` into `live`. A value with a single owner is replaced as a whole. */
export const mergeTyped = (live: unknown, config: unknown, type: FieldType): unknown => {
  if (config === undefined) return live;
  if (isLeafPair(live, config, type)) return config;
  return isList(type) ? mergeElements(live, config, type) : mergeMembers(live, config, type);
};
