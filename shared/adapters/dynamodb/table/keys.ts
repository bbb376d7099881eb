/** Composes the keys of all tables. No other file does. */
import type { ObjectKey, Revision } from '../../../ports/store/rows.ts';

/** The number of shards of resources with many writes. Every other resource has one partition. */
const SHARDED: Readonly<Record<string, number>> = { nodes: 16, pods: 16 };
const LOG_PARTITIONS = 8;
const DEADLINE_SHARDS = 8;
const TURN_COPIES = 8;

/** 32-bit FNV-1a of the UTF-16 code units. Stored keys depend on it, so it must never change. */
const fnv1a = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
};

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

/** `<namespace>/<name>`, by which lists are sorted; `/<name>` for cluster-scoped objects. */
export const nameKey = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `${namespace}/${name}`;

/** The inverse of `nameKey`. */
export const splitNameKey = (key: string): { readonly namespace: string; readonly name: string } => {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
};

/** The range of the sort keys of a namespace; `''` stands for all namespaces. `0` follows `/` in ASCII. */
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

/** The resource of a partition key of `objects` or `changes`. */
export const resourceOfPartition = (partition: string): string =>
  partition.slice(0, partition.lastIndexOf('#'));

/** Partition of a slot, `<resource>#<revision mod 8>`. Consecutive revisions are in different partitions. */
export const logPartition = (resource: string, revision: Revision): string =>
  `${resource}#${revision % LOG_PARTITIONS}`;

/** All partitions of a resource's change log. */
export const logPartitions = (resource: string): readonly string[] =>
  upTo(LOG_PARTITIONS).map((remainder) => `${resource}#${remainder}`);

/** Key of a resource's counter. */
export const counterKey = (resource: string) => ({ pk: `counter#${resource}`, sk: '-' });

/** Partition of a resource's floor samples. */
export const floorPartition = (resource: string): string => `floor#${resource}`;
/** Key of the floor sample of a minute since the Unix epoch. It has ten digits, so that samples are sorted by time. */
export const floorKey = (resource: string, minute: number) => ({
  pk: floorPartition(resource),
  sk: String(minute).padStart(10, '0'),
});

/** Key of the only pass item. */
export const PASS_KEY = { pk: 'pass', sk: '-' } as const;

/** Key of the item that says that a restore made this generation of tables, and ended. */
export const restoredKey = (generation: number) => ({ pk: `restored#${generation}`, sk: '-' });

/** Partition of all zone records. */
export const ZONE_PARTITION = 'zone';
/** Key of a zone record. */
export const zoneKey = (id: string) => ({ pk: ZONE_PARTITION, sk: id });

/** Partition of the watch slots of one holder. A holder's name may have any characters, so it comes last. */
export const watchSlotPartition = (holder: string): string => `watch#${holder}`;
/** Key of one watch slot. */
export const watchSlotKey = (holder: string, slot: number) => ({
  pk: watchSlotPartition(holder),
  sk: String(slot),
});

/** Partition of the users of a key that no longer signs. */
export const keyUsePartition = (kid: string): string => `key-use#${kid}`;
/** Key of one user of a key that no longer signs. */
export const keyUseKey = (kid: string, user: string) => ({ pk: keyUsePartition(kid), sk: user });

/** Key of the book of holds. */
export const HOLD_BOOK = { pk: 'holds', sk: '-' };

/** Key of the public halves of the signing keys. */
export const PUBLIC_KEYS = { pk: 'public-keys', sk: '-' };

/** Key of a pod's deadline. */
export const deadlineKey = (namespace: string, name: string) => ({
  pk: `deadline#${nameKey({ namespace, name })}`,
  sk: '-',
});
/** The shard of a pod's deadline in the index `deadlines`. Stored rows contain it. */
export const deadlineShard = (namespace: string, name: string): number =>
  fnv1a(nameKey({ namespace, name })) % DEADLINE_SHARDS;
/** All shards of the index `deadlines`. */
export const DEADLINE_SHARD_NUMBERS = upTo(DEADLINE_SHARDS);

/** Partition of the sightings of a topic. */
export const sightingPartition = (topic: string): string => `sighting#${topic}`;
/** Key of a sighting. A sort key is never empty, and no node is named `-`. */
export const sightingKey = ({ topic, name }: { readonly topic: string; readonly name: string }) => ({
  pk: sightingPartition(topic),
  sk: name === '' ? '-' : name,
});

/** Key of the count of a token's uses. */
export const tokenUseKey = (id: string) => ({ pk: `token#${id}`, sk: '-' });

/** Partition of the events that wait for a sink. */
export const noticePartition = (sink: string): string => `notice#${sink}`;
/** Key of an event that waits: instant in 13 digits, place among those that were stored together, and id. */
export const noticeKey = (
  sink: string,
  { storedAt, id }: { readonly storedAt: number; readonly id: string },
  place: number,
) => ({
  pk: noticePartition(sink),
  sk: `${String(storedAt).padStart(13, '0')}#${String(place).padStart(4, '0')}#${id}`,
});
/** The instant (ms) in a sort key of `noticeKey`. */
export const noticeStoredAt = (sort: string): number => Number(sort.slice(0, 13));

/** Partition of the claims of a node. */
export const claimPartition = (node: string): string => `claims#${node}`;
/** Key of a pod's claim. */
export const claimKey = (node: string, uid: string) => ({ pk: claimPartition(node), sk: uid });
/** Partition of the blocks of a range. */
export const blockPartition = (range: string): string => `cidr#${range}`;
/** Sort key of a block. It has ten digits, so that blocks are sorted by index. */
export const blockSort = (index: number): string => String(index).padStart(10, '0');
/** Key of a block. */
export const blockKey = (range: string, index: number) => ({
  pk: blockPartition(range),
  sk: blockSort(index),
});
/** Key of what is stored of a range besides its blocks. */
export const rangeKey = (range: string) => ({ pk: 'cidr', sk: range });
/** Key of the ranges for which all blocks were entered. The name of a range has a slash, so none has this key. */
export const ENTERED_KEY = { pk: 'cidr', sk: 'entered' } as const;
/** Partition of the Nodes that wait for a block. */
export const WAITING_PARTITION = 'cidr-waiting';
/** Key of a Node that waits for a block. */
export const waitingKey = (uid: string) => ({ pk: WAITING_PARTITION, sk: uid });

/** Partition of one shard of the counters. */
export const countersPartition = (shard: number): string => `sums#${shard}`;
/** The number of shards of the counters: all of them can be read quickly. */
export const COUNTER_SHARDS = 16;
/** Key of a node's counters. */
export const countersKey = (node: string) => ({
  pk: countersPartition(fnv1a(node) % COUNTER_SHARDS),
  sk: node,
});
/** Key of the item that says how far the sweep over all claims and counters has come. */
export const CAPACITY_SWEEP_KEY = { pk: 'capacity-sweep', sk: '-' } as const;

/** Partition of the edges of an owner. */
export const edgePartition = (owner: string): string => `owner#${owner}`;
/** Key of the edge of one dependent. The uid of a dependent is part of it, so a later object of the name has an edge of its own. */
export const edgeKey = (owner: string, key: ObjectKey, uid: string) => ({
  pk: edgePartition(owner),
  sk: `${key.resource}/${nameKey(key)}/${uid}`,
});
/** The range of the sort keys of a resource's edges, or of all. */
export const edgeRange = (resource?: string): { readonly first: string; readonly last: string } =>
  resource === undefined
    ? { first: '/', last: '\u{10ffff}' }
    : { first: `${resource}/`, last: `${resource}0` };
/** The inverse of the sort key of an edge. Neither names nor the uids that we give out contain a slash. */
export const splitEdgeKey = (sort: string): { readonly key: ObjectKey; readonly uid: string } => {
  const [resource = '', namespace = '', name = '', uid = ''] = sort.split('/');
  return { key: { resource, namespace, name }, uid };
};
/** Key of the item that says that all objects have their edges. */
export const EDGES_COMPLETE_KEY = { pk: 'owner-edges-complete', sk: '-' } as const;
/** Partition of the turn of an owner: its lease and the copies of its number. */
const turnPartition = (owner: string): string => `turn#${owner}`;
/** Key of the lease of an owner's turn. */
export const turnLeaseKey = (owner: string) => ({ pk: turnPartition(owner), sk: 'lease' });
/** Keys of all copies of the number of an owner's turn. */
export const turnCopyKeys = (owner: string) =>
  upTo(TURN_COPIES).map((copy) => ({ pk: turnPartition(owner), sk: String(copy) }));
/** Key of the copy that the commit of a child checks. */
export const turnCopyKey = (owner: string, child: ObjectKey) => ({
  pk: turnPartition(owner),
  sk: String(fnv1a(nameKey(child)) % TURN_COPIES),
});
