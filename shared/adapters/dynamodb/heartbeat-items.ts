/** Items of `heartbeats`: a node's entry, a Lease, both, or a marker. */
import { NODE_LEASE_NAMESPACE } from '../../api/well-known.ts';
import type { HeartbeatItem, LeaseKey, StoredLease } from '../../ports/heartbeats.ts';
import { nameKey, splitNameKey } from './keys.ts';
import {
  bytesOf,
  deflateWith,
  fromTtl,
  given,
  type Item,
  inflateWith,
  numberOf,
  packId,
  requiredAttribute,
  textOf,
  unpackId,
} from './packing.ts';
import { HEARTBEAT } from './schema.ts';

export const heartbeatKey = (key: LeaseKey) => ({ [HEARTBEAT.partition]: nameKey(key) });

/** Key of a node's entry. */
export const entryKey = (node: string) => heartbeatKey({ namespace: NODE_LEASE_NAMESPACE, name: node });

/**
 * The usual content of a node's Lease, as a compression dictionary: it shrinks stored bodies from 275 bytes to about 65. This
 * text must never change; a new one needs a new attribute.
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

/** Conditions that a kubelet reports, all at once: most of the text, and the last time again and again. Never to change. */
const TIMES_DICTIONARY =
  '{"NetworkUnavailable":"2026-01-01T00:00:00Z","MemoryPressure":"2026-01-01T00:00:00Z","DiskPressure":"2026-01-01T00:00:00Z","PIDPressure":"2026-01-01T00:00:00Z","Ready":"2026-01-01T00:00:00Z"}';

/** Packs the clients' strings by condition type. No write condition uses them, and unpacked they would be a third of the row. */
export const packTimes = (times: Readonly<Record<string, string>>): Uint8Array =>
  deflateWith(TIMES_DICTIONARY, times);

const timesOf = (item: Item): Readonly<Record<string, string>> | undefined => {
  const packed = bytesOf(item, HEARTBEAT.times);
  return packed && (inflateWith(TIMES_DICTIONARY, packed) as Readonly<Record<string, string>>);
};

/** The attributes that belong to a Node and not to its Lease. */
export const BEATS = [
  'observedAt',
  'leaseAt',
  'statusAt',
  'plainAt',
  'relayAt',
  'times',
  'workRevision',
] as const;
export const LEASE_FIELDS = ['lease', 'leaseUid', 'leaseCreatedAt'] as const;

const INSTANTS = [
  'observedAt',
  'leaseAt',
  'statusAt',
  'plainAt',
  'relayAt',
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

export const fromHeartbeatItem = (item: Item): HeartbeatItem => {
  const key = splitNameKey(requiredAttribute(textOf(item, HEARTBEAT.partition), HEARTBEAT.partition));
  const expiresAt = numberOf(item, HEARTBEAT.expiresAt);
  return {
    ...key,
    ...(item[HEARTBEAT.uid] === undefined ? {} : { uid: unpackId(item[HEARTBEAT.uid]) }),
    ...instantsOf(item),
    ...given('times', timesOf(item)),
    ...given('lease', leaseOf(key.name, item)),
    ...(expiresAt === undefined ? {} : { expiresAt: fromTtl(expiresAt) }),
  };
};
