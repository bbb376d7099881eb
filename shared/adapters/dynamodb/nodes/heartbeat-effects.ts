/** Writes of a node's heartbeat item that are part of a commit's transaction. */
import type { HeartbeatEffect, StatusBeat } from '../../../ports/store/commit.ts';
import type { HeartbeatItem } from '../../../ports/store/heartbeats.ts';
import { BEATS, entryKey, LEASE_FIELDS, packTimes } from '../items/heartbeat-items.ts';
import type { TransactItem } from '../table/client.ts';
import {
  allOf,
  expressions,
  HAS_BEAT_AS_READ,
  HAS_LOWER_VERSION,
  HAS_NO_BEAT,
  IS_NEW_OR_ENTRY_OF_NODE,
  IS_NOBODYS_ENTRY,
  isNotLater,
  removeEach,
  setEach,
} from '../table/conditions.ts';
import { packId, toTtl } from '../table/packing.ts';
import { HEARTBEAT } from '../table/schema.ts';

type Adopt = Extract<HeartbeatEffect, { effect: 'adopt' }>;
type Retire = Extract<HeartbeatEffect, { effect: 'retire' }>;
type BeatEffect = Extract<HeartbeatEffect, { effect: 'beat' }>;
type Unmoved = Extract<HeartbeatEffect, { effect: 'unmoved' }>;

const beatValues = ({ at, times }: StatusBeat) => ({ observedAt: at, statusAt: at, times: packTimes(times) });

/** Assigns the item to this Node: sets the values, clears those of an earlier Node and keeps a Lease. */
export const adoption = (
  table: string,
  node: string,
  values: Readonly<Record<string, unknown>>,
  conditions: { readonly ConditionExpression?: string } = {},
): TransactItem => {
  const cleared = BEATS.filter((name) => !(name in values));
  const texts = { UpdateExpression: setEach(Object.keys(values)) + removeEach(cleared), ...conditions };
  return { Update: { TableName: table, Key: entryKey(node), ...expressions(HEARTBEAT, texts, values) } };
};

const adoptionValues = ({ uid, beat, expiresAt }: Omit<Adopt, 'effect'>) => ({
  uid: packId(uid),
  expiresAt: toTtl(expiresAt),
  ...(beat ? beatValues(beat) : {}),
});

const retire = (table: string, { node, version, expiresAt }: Retire): TransactItem => {
  const values = { version, expiresAt: toTtl(expiresAt) };
  const texts = {
    UpdateExpression: setEach(Object.keys(values)) + removeEach(['uid', ...BEATS, ...LEASE_FIELDS]),
    ConditionExpression: HAS_LOWER_VERSION,
  };
  return { Update: { TableName: table, Key: entryKey(node), ...expressions(HEARTBEAT, texts, values) } };
};

/** Writes only instants that are not stored later than ours; the condition checks exactly these. */
const beat = (table: string, effect: BeatEffect, seen: HeartbeatItem | undefined): TransactItem => {
  const { at, times } = effect.beat;
  const isOutdated = (seen?.statusAt ?? 0) > at;
  const moved = ['observedAt', 'statusAt'] as const;
  const instants = moved.filter((name) => (seen?.[name] ?? 0) <= at);
  const values = {
    uid: packId(effect.uid),
    expiresAt: toTtl(effect.expiresAt),
    ...Object.fromEntries(instants.map((name) => [name, at])),
    ...(isOutdated ? {} : { times: packTimes(times) }),
  };
  const texts = {
    UpdateExpression: setEach(Object.keys(values)),
    ConditionExpression: allOf(IS_NEW_OR_ENTRY_OF_NODE, ...instants.map(isNotLater)),
  };
  const parameters = expressions(HEARTBEAT, texts, { ...values, at });
  return {
    Update: {
      TableName: table,
      Key: entryKey(effect.node),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      ...parameters,
    },
  };
};

const unmoved = (table: string, { node, observedAt }: Unmoved): TransactItem => {
  const texts = { ConditionExpression: observedAt === undefined ? HAS_NO_BEAT : HAS_BEAT_AS_READ };
  return {
    ConditionCheck: {
      TableName: table,
      Key: entryKey(node),
      ...expressions(HEARTBEAT, texts, { observedAt }),
    },
  };
};

/** The part of the transaction for an effect. `seen` is the item whose condition failed in an earlier attempt of a `beat`. */
export const effectItem = (table: string, effect: HeartbeatEffect, seen?: HeartbeatItem): TransactItem => {
  switch (effect.effect) {
    case 'adopt':
      // The transaction ensures that no such Node existed, so an item here belongs to no Node.
      return adoption(table, effect.node, adoptionValues(effect));
    case 'retire':
      return retire(table, effect);
    case 'beat':
      // A Lease was written after the node's entry had expired. The Node exists, so it takes over the item again.
      return seen && seen.uid === undefined
        ? adoption(table, effect.node, adoptionValues(effect), { ConditionExpression: IS_NOBODYS_ENTRY })
        : beat(table, effect, seen);
    case 'unmoved':
      return unmoved(table, effect);
  }
};

/** Whether an effect may be sent again after its condition failed on the item `seen`: only a beat for an item of the same Node. */
export const mayRepeat = (effect: HeartbeatEffect | undefined, seen: HeartbeatItem): boolean =>
  effect?.effect === 'beat' && (seen.uid === undefined || seen.uid === effect.uid);
