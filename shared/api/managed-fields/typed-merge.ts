/** A configuration merged into an object, for apply. Source: structured-merge-diff v6 `typed/merge.go`. */
import type { JsonObject } from '../json-object.ts';
import { ownMember, setMember } from '../own-member.ts';
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
 * The order of a merged list: the configuration's elements in its order, each after the live ones of nobody else that
 * stood before the next shared element.
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

/** The live element that a name stands for; of several with one name the next, and none to merge with. */
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

/** `merged` by names; `wanted` itself where it has the same members, so that nothing is copied. */
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
  // In the order of the live members, which is that of the configuration where these are the same.
  if (before.length <= names.length && before.every((name, index) => name === names[index]))
    return sharedMembers(wanted, names, merged);
  const members: Record<string, unknown> = { ...was };
  for (const [index, name] of names.entries()) setMember(members, name, merged[index]);
  return members;
};

/** `live` with what `config` says; what is owned as a whole is taken as a whole. */
export const mergeTyped = (live: unknown, config: unknown, type: FieldType): unknown => {
  if (config === undefined) return live;
  if (isLeafPair(live, config, type)) return config;
  return isList(type) ? mergeElements(live, config, type) : mergeMembers(live, config, type);
};
