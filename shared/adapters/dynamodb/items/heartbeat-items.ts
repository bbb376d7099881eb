/** Converts items of the table `heartbeats`: a node's entry, a Lease, both, or a marker. */

import { NODE_LEASE_NAMESPACE } from '../../../kube/types/well-known.ts';
import { optional } from '../../../kube/values/optional.ts';
import type { HeartbeatItem, LeaseKey, StoredLease } from '../../../ports/store/heartbeats.ts';
import type { Patience } from '../../../rules/patience/adaptive-grace.ts';
import { nameKey, splitNameKey } from '../table/keys.ts';
import {
  bytesOf,
  deflateWith,
  fromTtl,
  type Item,
  inflateWith,
  numberOf,
  packId,
  requiredAttribute,
  textOf,
  unpackId,
} from '../table/packing.ts';
import { HEARTBEAT } from '../table/schema.ts';
import { relayMembers } from './relay-items.ts';

/** Primary key of the item of a Lease, and of the entry of the node with that name. */
export const heartbeatKey = (key: LeaseKey) => ({ [HEARTBEAT.partition]: nameKey(key) });

/** Primary key of a node's entry. */
export const entryKey = (node: string) => heartbeatKey({ namespace: NODE_LEASE_NAMESPACE, name: node });

/**
 * The usual content of a node's Lease, as a compression dictionary: it shrinks stored bodies from 275 bytes to about 65. Stored
 * bodies need exactly this text, so it must never change; another dictionary needs another attribute.
 */
const leaseDictionary = (name: string): string =>
  `{"spec":{"holderIdentity":"${name}","leaseDurationSeconds":40,"renewTime":"2026-01-01T00:00:00.000000Z"},"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"${name}","uid":"`;

/** The part of a Lease that a renewal writes: a body of spec and metadata. */
export const leaseBody = (name: string, { spec, metadata }: StoredLease) => ({
  lease: deflateWith(leaseDictionary(name), { spec, metadata }),
});

/** The part of a Lease that only its creation writes. */
export const leaseIdentity = ({ uid, createdAt }: StoredLease) => ({
  leaseUid: packId(uid),
  leaseCreatedAt: createdAt,
});

const leaseOf = (name: string, item: Item): StoredLease | undefined => {
  const body = bytesOf(item, HEARTBEAT.lease);
  if (!body) return undefined;
  const { spec, metadata } = inflateWith(leaseDictionary(name), body) as Pick<
    StoredLease,
    'spec' | 'metadata'
  >;
  const createdAt = requiredAttribute(numberOf(item, HEARTBEAT.leaseCreatedAt), HEARTBEAT.leaseCreatedAt);
  return { uid: unpackId(item[HEARTBEAT.leaseUid]), createdAt, spec, metadata };
};

/** The usual heartbeat times of a kubelet, as a compression dictionary. It must never change, as `leaseDictionary`. */
const TIMES_DICTIONARY =
  '{"NetworkUnavailable":"2026-01-01T00:00:00Z","MemoryPressure":"2026-01-01T00:00:00Z","DiskPressure":"2026-01-01T00:00:00Z","PIDPressure":"2026-01-01T00:00:00Z","Ready":"2026-01-01T00:00:00Z"}';

/**
 * Packs the clients' `lastHeartbeatTime` strings. Unpacked they would be a third of the item, and no condition of a write needs
 * them.
 */
export const packTimes = (times: Readonly<Record<string, string>>): Uint8Array =>
  deflateWith(TIMES_DICTIONARY, times);

const timesOf = (item: Item): Readonly<Record<string, string>> | undefined => {
  const packed = bytesOf(item, HEARTBEAT.times);
  return packed && (inflateWith(TIMES_DICTIONARY, packed) as Readonly<Record<string, string>>);
};

/** A patience as its attribute, so that conditions can compare it. */
export const packPatience = ({ silentMs, learnedAt }: Patience): readonly number[] => [silentMs, learnedAt];

const patienceOf = (item: Item): Patience | undefined => {
  const packed = item[HEARTBEAT.patience];
  if (!Array.isArray(packed)) return undefined;
  const [silentMs, learnedAt] = packed.map(Number);
  return silentMs === undefined || learnedAt === undefined ? undefined : { silentMs, learnedAt };
};

/** The attributes of a heartbeat item that belong to its Node and not to its Lease. */
export const BEATS = [
  'observedAt',
  'leaseAt',
  'statusAt',
  'plainAt',
  'relayAt',
  'aheadAt',
  'patience',
  'times',
  'workRevision',
  'relays',
] as const;
/** The attributes of a heartbeat item that belong to its Lease. */
export const LEASE_FIELDS = ['lease', 'leaseUid', 'leaseCreatedAt'] as const;

const INSTANTS = [
  'observedAt',
  'leaseAt',
  'statusAt',
  'plainAt',
  'relayAt',
  'aheadAt',
  'version',
  'workRevision',
] as const;

const instantsOf = (item: Item): Partial<Record<(typeof INSTANTS)[number], number>> =>
  Object.fromEntries(
    INSTANTS.flatMap((name) => {
      const value = numberOf(item, HEARTBEAT[name]);
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** Reads a heartbeat item. Throws if a mandatory attribute is missing. */
export const fromHeartbeatItem = (item: Item): HeartbeatItem => {
  const key = splitNameKey(requiredAttribute(textOf(item, HEARTBEAT.partition), HEARTBEAT.partition));
  const expiresAt = numberOf(item, HEARTBEAT.expiresAt);
  return {
    ...key,
    ...(item[HEARTBEAT.uid] === undefined ? {} : { uid: unpackId(item[HEARTBEAT.uid]) }),
    ...instantsOf(item),
    ...optional('patience', patienceOf(item)),
    ...optional('times', timesOf(item)),
    ...optional('lease', leaseOf(key.name, item)),
    ...relayMembers(item),
    ...(expiresAt === undefined ? {} : { expiresAt: fromTtl(expiresAt) }),
  };
};
