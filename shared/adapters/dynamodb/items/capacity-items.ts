/** Claims and counters in the table `control`: their items, and the parts of a transaction that write them. */
import { optional } from '../../../kube/values/optional.ts';
import type { CapacityEffect, ClaimWrite, NodeCounters } from '../../../ports/store/capacity.ts';
import type { CapacityClaim } from '../../../rules/scheduling/cluster/capacity-claim.ts';
import type { Counters } from '../../../rules/scheduling/node-counters.ts';
import { changeOfClaims } from '../../../rules/scheduling/node-counters.ts';
import type { HostPort } from '../../../rules/scheduling/pods/host-ports.ts';
import type { TransactItem } from '../table/client.ts';
import { allOf, expressions, HAS_CLAIM_AS_READ, HAS_DIGEST_AS_READ, IS_EMPTY } from '../table/conditions.ts';
import { claimKey, countersKey } from '../table/keys.ts';
import { type Item, numberOf, requiredAttribute, textOf } from '../table/packing.ts';
import { CONTROL } from '../table/schema.ts';

/** The attribute of a counter begins with this, so that it is none of the schema's attributes. */
const COUNTER = '+';

type PackedClaim = readonly [
  requests: readonly (readonly [string, number])[],
  ports: readonly (readonly [ip: string, protocol: string, port: number])[],
  ended: 0 | 1,
];

/** Packs what a claim counts. Equal claims have equal texts, so a condition can compare them. */
const packClaim = ({ requests, ports, ended }: CapacityClaim): string => {
  const packed: PackedClaim = [
    [...requests].toSorted(([a], [b]) => (a < b ? -1 : 1)),
    ports.map(({ ip, protocol, port }) => [ip, protocol, port]),
    ended ? 1 : 0,
  ];
  return JSON.stringify(packed);
};

const toClaimItem = (node: string, claim: CapacityClaim): Item => ({
  ...claimKey(node, claim.uid),
  [CONTROL.namespace]: claim.namespace,
  [CONTROL.name]: claim.name,
  [CONTROL.claimedAt]: claim.claimedAt,
  [CONTROL.claim]: packClaim(claim),
});

const textIn = (item: Item, name: string): string => requiredAttribute(textOf(item, name), name);

/** Reads a claim. Throws if an attribute is missing. */
export const fromClaimItem = (item: Item): CapacityClaim => {
  const [requests, ports, ended]: PackedClaim = JSON.parse(textIn(item, CONTROL.claim));
  return {
    uid: textIn(item, CONTROL.sort),
    namespace: textIn(item, CONTROL.namespace),
    name: textIn(item, CONTROL.name),
    claimedAt: requiredAttribute(numberOf(item, CONTROL.claimedAt), CONTROL.claimedAt),
    requests: new Map(requests),
    ports: ports.map(([ip, protocol, port]): HostPort => ({ ip, protocol, port })),
    ended: ended === 1,
  };
};

/** Reads the counters of a node. */
export const fromCountersItem = (item: Item): NodeCounters => ({
  counters: new Map(
    Object.entries(item)
      .filter(([name]) => name.startsWith(COUNTER))
      .map(([name, value]) => [name.slice(COUNTER.length), Number(value)]),
  ),
  writes: numberOf(item, CONTROL.writes) ?? 0,
  ...optional('digest', textOf(item, CONTROL.digest)),
});

/** Makes an item of counters. */
export const toCountersItem = (node: string, { counters, writes, digest }: NodeCounters): Item => ({
  ...countersKey(node),
  ...Object.fromEntries([...counters].map(([name, amount]) => [`${COUNTER}${name}`, amount])),
  [CONTROL.writes]: writes,
  ...optional(CONTROL.digest, digest),
});

const claimItem = (table: string, node: string, { uid, read, next }: ClaimWrite): TransactItem => {
  const condition = expressions(
    CONTROL,
    { ConditionExpression: read ? HAS_CLAIM_AS_READ : IS_EMPTY },
    { claim: read && packClaim(read) },
  );
  return next
    ? { Put: { TableName: table, Item: toClaimItem(node, next), ...condition } }
    : { Delete: { TableName: table, Key: claimKey(node, uid), ...condition } };
};

/** Short placeholders for counters, because an expression may have 4 KB: `#c0` is the attribute, `:<letter>0` the number. */
const placeholders = (counters: Counters, letter: string) => {
  const numbered = [...counters].map(([name, amount], n) => ({ id: `${letter}${n}`, name, amount }));
  return {
    ids: numbered.map(({ id }) => id),
    names: Object.fromEntries(numbered.map(({ id, name }) => [id, `${COUNTER}${name}`])),
    values: Object.fromEntries(numbered.map(({ id, amount }) => [id, amount])),
  };
};

const changeOfDigest = (digest: CapacityEffect['digest']): string => {
  if (digest === undefined) return '';
  return digest === null ? ' REMOVE #digest' : ' SET #digest = :digest';
};

const countersItem = (table: string, { node, claims, digest, within }: CapacityEffect): TransactItem => {
  const added = placeholders(changeOfClaims(claims), 'a');
  const limits = placeholders(within?.atMost ?? new Map(), 'l');
  const isLow = (id: string): string => `attribute_not_exists(#${id}) OR #${id} <= :${id}`;
  const texts = {
    UpdateExpression: `ADD ${['#writes :one', ...added.ids.map((id) => `#${id} :${id}`)].join(', ')}${changeOfDigest(digest)}`,
    ...(within ? { ConditionExpression: allOf(HAS_DIGEST_AS_READ, ...limits.ids.map(isLow)) } : {}),
  };
  const values = { ...added.values, ...limits.values, one: 1, digest, digestRead: within?.digest };
  const schema = { ...CONTROL, ...added.names, ...limits.names };
  return { Update: { TableName: table, Key: countersKey(node), ...expressions(schema, texts, values) } };
};

/** Whether an effect says nothing of the counters: the claims of pods that have ended are deleted. */
const leavesCounters = ({ claims, digest, within }: CapacityEffect): boolean =>
  digest === undefined && !within && changeOfClaims(claims).size === 0;

/** The parts of a transaction for an effect. The counters come last. */
export const capacityItems = (table: string, effect: CapacityEffect): readonly TransactItem[] => [
  ...effect.claims.map((write) => claimItem(table, effect.node, write)),
  ...(leavesCounters(effect) ? [] : [countersItem(table, effect)]),
];
