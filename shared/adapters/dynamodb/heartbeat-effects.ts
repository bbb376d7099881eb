/** What a commit does to a node's heartbeat item, as one part of its transaction. */
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { HeartbeatEffect, StatusBeat } from '../../ports/commit.ts';
import type { HeartbeatItem } from '../../ports/heartbeats.ts';
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
} from './conditions.ts';
import { BEATS, entryKey, LEASE_FIELDS, packTimes } from './heartbeat-items.ts';
import { packId, toTtl } from './packing.ts';
import { HEARTBEAT } from './schema.ts';

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];
type Adopt = Extract<HeartbeatEffect, { effect: 'adopt' }>;
type Retire = Extract<HeartbeatEffect, { effect: 'retire' }>;
type BeatEffect = Extract<HeartbeatEffect, { effect: 'beat' }>;
type Unmoved = Extract<HeartbeatEffect, { effect: 'unmoved' }>;

const beatValues = ({ at, times }: StatusBeat) => ({ observedAt: at, statusAt: at, times: packTimes(times) });

/** Makes the item this Node's: sets the values, clears what else an earlier life left, keeps a Lease. */
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

/** Instants that are stored later than ours stay; the condition then says so of those that move. */
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

/** The part of the transaction; `seen` is the item that refused an earlier one of a `beat`. */
export const effectItem = (table: string, effect: HeartbeatEffect, seen?: HeartbeatItem): TransactItem => {
  switch (effect.effect) {
    case 'adopt':
      // The transaction proves that no such Node lived, so whatever item is here is nobody's.
      return adoption(table, effect.node, adoptionValues(effect));
    case 'retire':
      return retire(table, effect);
    case 'beat':
      // A Lease was written for a node whose entry had expired: the Node lives, so the item is its own again.
      return seen && seen.uid === undefined
        ? adoption(table, effect.node, adoptionValues(effect), { ConditionExpression: IS_NOBODYS_ENTRY })
        : beat(table, effect, seen);
    case 'unmoved':
      return unmoved(table, effect);
  }
};

/** Whether a refused effect may be sent again in view of the item that refused it: only another node's beat is wrong. */
export const mayRepeat = (effect: HeartbeatEffect | undefined, seen: HeartbeatItem): boolean =>
  effect?.effect === 'beat' && (seen.uid === undefined || seen.uid === effect.uid);
