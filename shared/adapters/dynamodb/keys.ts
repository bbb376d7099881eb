/** The only file in which a key string is composed. */
import type { ObjectKey, Revision } from '../../ports/rows.ts';

/** Shards of the busy resources; the others live in one partition each. */
const SHARDED: Readonly<Record<string, number>> = { nodes: 16, pods: 16 };
const LOG_PARTITIONS = 8;
const DEADLINE_SHARDS = 8;

/** 32-bit FNV-1a of the UTF-16 units. Stored rows depend on it: it must never change. */
const fnv1a = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
};

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

/** `<namespace>/<name>`, by which lists are sorted; `/<name>` for cluster-scoped objects. */
export const nameKey = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `${namespace}/${name}`;

export const splitNameKey = (key: string): { readonly namespace: string; readonly name: string } => {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
};

/** First and last key that a namespace can hold; `''` stands for all namespaces. `0` follows `/` in ASCII. */
export const namespaceRange = (namespace: string): { readonly first: string; readonly last: string } =>
  namespace === '' ? { first: '/', last: '\u{10ffff}' } : { first: `${namespace}/`, last: `${namespace}0` };

/** The smallest key after `key`. */
export const keyAfter = (key: string): string => `${key}\0`;

/** Partition of an object: `<resource>#<shard>`. */
export const objectPartition = (key: ObjectKey): string =>
  `${key.resource}#${fnv1a(nameKey(key)) % (SHARDED[key.resource] ?? 1)}`;

/** All partitions of a resource. */
export const objectPartitions = (resource: string): readonly string[] =>
  upTo(SHARDED[resource] ?? 1).map((shard) => `${resource}#${shard}`);

export const resourceOfPartition = (partition: string): string =>
  partition.slice(0, partition.lastIndexOf('#'));

/** Neighbouring revisions lie in different partitions. */
export const logPartition = (resource: string, revision: Revision): string =>
  `${resource}#${revision % LOG_PARTITIONS}`;

export const logPartitions = (resource: string): readonly string[] =>
  upTo(LOG_PARTITIONS).map((remainder) => `${resource}#${remainder}`);

export const counterKey = (resource: string) => ({ pk: `counter#${resource}`, sk: '-' });

export const floorPartition = (resource: string): string => `floor#${resource}`;
/** Ten digits, so that keys sort by time. */
export const floorKey = (resource: string, minute: number) => ({
  pk: floorPartition(resource),
  sk: String(minute).padStart(10, '0'),
});

export const PASS_KEY = { pk: 'pass', sk: '-' } as const;

export const ZONE_PARTITION = 'zone';
export const zoneKey = (id: string) => ({ pk: ZONE_PARTITION, sk: id });

/** Open watches of one holder; a name may have any characters, so it stands last. */
export const watchSlotPartition = (holder: string): string => `watch#${holder}`;
export const watchSlotKey = (holder: string, slot: number) => ({
  pk: watchSlotPartition(holder),
  sk: String(slot),
});

/** Users of a key that no longer signs. */
export const keyUsePartition = (kid: string): string => `key-use#${kid}`;
export const keyUseKey = (kid: string, user: string) => ({ pk: keyUsePartition(kid), sk: user });

export const deadlineKey = (namespace: string, name: string) => ({
  pk: `deadline#${nameKey({ namespace, name })}`,
  sk: '-',
});
export const deadlineShard = (namespace: string, name: string): number =>
  fnv1a(nameKey({ namespace, name })) % DEADLINE_SHARDS;
export const DEADLINE_SHARD_NUMBERS = upTo(DEADLINE_SHARDS);
