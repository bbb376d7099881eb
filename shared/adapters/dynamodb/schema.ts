/**
 * Tables, indexes and attribute names, as data. This file imports nothing: CDK makes the tables of it, the contract
 * tests derive theirs from it. Names are short because rows are billed by the byte and the monitor reads them all.
 */

/** What the stack calls the tables; CDK passes the generated names to the functions. */
export interface TableNames {
  readonly objects: string;
  readonly changes: string;
  readonly heartbeats: string;
  readonly control: string;
}

export interface KeyAttribute {
  readonly name: string;
  readonly type: 'S' | 'N' | 'B';
}

export interface IndexSchema {
  readonly name: string;
  readonly partitionKey: KeyAttribute;
  readonly sortKey?: KeyAttribute;
  /** `keys` and `all`, or the attributes beside the keys of table and index. */
  readonly projection: 'keys' | 'all' | readonly string[];
}

export interface TableSchema {
  readonly partitionKey: KeyAttribute;
  readonly sortKey?: KeyAttribute;
  /** Attribute with the epoch second after which a row may go. */
  readonly ttl: string;
  readonly stream?: 'NEW_AND_OLD_IMAGES';
  readonly indexes: readonly IndexSchema[];
}

/** Rows of `objects`. A row without `body` is a marker. */
export const OBJECT = {
  /** `<resource>#<shard>`. */
  partition: 'pk',
  /** `<namespace>/<name>`. */
  sort: 'sk',
  revision: 'rv',
  /** 16 bytes where it is a UUID, else a string. */
  uid: 'u',
  /** Deflated JSON of the object. */
  body: 'b',
  expiresAt: 'x',
  /** Of nodes. `createdAt` makes the index `node-health` sparse: no other row has it. */
  createdAt: 'ca',
  zone: 'z',
  ready: 'r',
  readyTransitionAt: 'rt',
  excludeDisruption: 'ex',
  clientReady: 'cr',
  isClaimed: 'cl',
  noExecute: 'ne',
  formerNoExecute: 'fn',
  silenced: 'si',
  /** Of pods. `nodeName` is absent while `unbound` is there. */
  nodeName: 'nn',
  unbound: 'ub',
  boundAt: 'ba',
  toleratedAt: 'ta',
  tolerations: 'tl',
  phase: 'ph',
  deletionTimestamp: 'dt',
  owner: 'ow',
} as const;

/** Rows of `changes`: one per revision that was taken. A row without `type` is a tombstone. */
export const CHANGE = {
  /** `<resource>#<revision mod 8>`. */
  partition: 'pk',
  /** Revision. */
  sort: 'sk',
  /** `A`, `M` or `D`. */
  type: 't',
  /** `<namespace>/<name>`. */
  key: 'k',
  /** Deflated JSON of object and reverse patch. */
  body: 'b',
  attempt: 'a',
  at: 'at',
  /** When the object of the entry ends, ms. */
  objectExpiresAt: 'ox',
  expiresAt: 'x',
} as const;

/** Items of `heartbeats`: a node's entry (it has `uid`), a Lease (`lease`), both, or a marker. */
export const HEARTBEAT = {
  /** `<namespace>/<name>`. */
  partition: 'pk',
  uid: 'u',
  observedAt: 'o',
  leaseAt: 'l',
  statusAt: 's',
  plainAt: 'p',
  relayAt: 'r',
  times: 't',
  version: 'v',
  workRevision: 'w',
  lease: 'le',
  leaseUid: 'lu',
  leaseCreatedAt: 'lc',
  expiresAt: 'x',
} as const;

/** Items of `control`: counters, floor samples, the pass, zones and deadlines. */
export const CONTROL = {
  partition: 'pk',
  sort: 'sk',
  expiresAt: 'x',
  /** Counters and floor samples. */
  counter: 'n',
  /** Revisions and instants by turns, oldest first. */
  watermarks: 'wm',
  seed: 's',
  /** The pass, and the pass that wrote a zone. */
  pass: 'p',
  lastTick: 'lt',
  leaseUntil: 'lu',
  clockFloor: 'cf',
  floorPass: 'fp',
  /** Zones. */
  zoneKey: 'zk',
  state: 'st',
  size: 'sz',
  notReady: 'nr',
  limiterRate: 'lr',
  limiterNextAt: 'ln',
  waiting: 'w',
  waitingCount: 'wc',
  wakeAt: 'wa',
  updatedAt: 'at',
  /** Deadlines of pods. */
  namespace: 'ns',
  name: 'nm',
  uid: 'u',
  nodeName: 'nn',
  startAt: 'sa',
  deadlineShard: 'ds',
  fireAt: 'fa',
} as const;

export const INDEX = {
  nodeHealth: 'node-health',
  podsByNode: 'pods-by-node',
  unboundPods: 'unbound-pods',
  deadlines: 'deadlines',
} as const;

const NODE_HEALTH: IndexSchema = {
  name: INDEX.nodeHealth,
  // The table's own partition key serves again: 16 shards, and 9 bytes less in each row than one of its own.
  partitionKey: { name: OBJECT.partition, type: 'S' },
  sortKey: { name: OBJECT.createdAt, type: 'N' },
  projection: [
    OBJECT.uid,
    OBJECT.zone,
    OBJECT.ready,
    OBJECT.readyTransitionAt,
    OBJECT.excludeDisruption,
    OBJECT.clientReady,
    OBJECT.noExecute,
  ],
};

const PODS_BY_NODE: IndexSchema = {
  name: INDEX.podsByNode,
  partitionKey: { name: OBJECT.nodeName, type: 'S' },
  projection: [
    OBJECT.uid,
    OBJECT.boundAt,
    OBJECT.tolerations,
    OBJECT.phase,
    OBJECT.deletionTimestamp,
    OBJECT.owner,
  ],
};

const UNBOUND_PODS: IndexSchema = {
  name: INDEX.unboundPods,
  partitionKey: { name: OBJECT.unbound, type: 'N' },
  projection: 'keys',
};

const DEADLINES: IndexSchema = {
  name: INDEX.deadlines,
  partitionKey: { name: CONTROL.deadlineShard, type: 'N' },
  sortKey: { name: CONTROL.fireAt, type: 'N' },
  projection: 'all',
};

export const TABLES: Readonly<Record<keyof TableNames, TableSchema>> = {
  objects: {
    partitionKey: { name: OBJECT.partition, type: 'S' },
    sortKey: { name: OBJECT.sort, type: 'S' },
    ttl: OBJECT.expiresAt,
    stream: 'NEW_AND_OLD_IMAGES',
    indexes: [NODE_HEALTH, PODS_BY_NODE, UNBOUND_PODS],
  },
  changes: {
    partitionKey: { name: CHANGE.partition, type: 'S' },
    sortKey: { name: CHANGE.sort, type: 'N' },
    ttl: CHANGE.expiresAt,
    indexes: [],
  },
  heartbeats: {
    partitionKey: { name: HEARTBEAT.partition, type: 'S' },
    ttl: HEARTBEAT.expiresAt,
    indexes: [],
  },
  control: {
    partitionKey: { name: CONTROL.partition, type: 'S' },
    sortKey: { name: CONTROL.sort, type: 'S' },
    ttl: CONTROL.expiresAt,
    indexes: [DEADLINES],
  },
};
