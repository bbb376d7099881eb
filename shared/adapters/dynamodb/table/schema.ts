/**
 * The tables, indexes and attribute names, as data. The CDK stack and the contract tests create their tables from it, so this
 * file imports nothing. Attribute names are short, because DynamoDB bills rows by the byte and the monitor reads all of them.
 */

/** The names of the four tables. CDK generates them and passes them to the functions. */
export interface TableNames {
  readonly objects: string;
  readonly changes: string;
  readonly heartbeats: string;
  readonly control: string;
}

/** A key attribute and its DynamoDB type. */
export interface KeyAttribute {
  readonly name: string;
  readonly type: 'S' | 'N' | 'B';
}

/** A global secondary index. */
export interface IndexSchema {
  readonly name: string;
  readonly partitionKey: KeyAttribute;
  readonly sortKey?: KeyAttribute;
  /** Only the keys, all attributes, or these attributes besides the keys of table and index. */
  readonly projection: 'keys' | 'all' | readonly string[];
}

/** A table and its indexes. */
export interface TableSchema {
  readonly partitionKey: KeyAttribute;
  readonly sortKey?: KeyAttribute;
  /** The attribute with the epoch second after which DynamoDB may remove a row. */
  readonly ttl: string;
  readonly stream?: 'NEW_AND_OLD_IMAGES';
  /** Whether it has to be possible to restore its rows of an earlier instant. */
  readonly isRestorable: boolean;
  readonly indexes: readonly IndexSchema[];
}

/** Rows of `objects`. A row without `body` is a marker. */
export const OBJECT = {
  /** `<resource>#<shard>`. */
  partition: 'pk',
  /** `<namespace>/<name>`. */
  sort: 'sk',
  revision: 'rv',
  /** 16 bytes if it is a UUID, else a string. */
  uid: 'u',
  /** Deflated JSON of the object. */
  body: 'b',
  expiresAt: 'x',
  /** Attributes of nodes. `createdAt` makes the index `node-health` sparse, because no other row has it. */
  createdAt: 'ca',
  zone: 'z',
  ready: 'r',
  readyTransitionAt: 'rt',
  excludeDisruption: 'ex',
  clientReady: 'cr',
  isClaimed: 'cl',
  noExecute: 'ne',
  formerNoExecute: 'fn',
  losses: 'lo',
  silenced: 'si',
  shutdown: 'sd',
  /** Attributes of pods. A pod has either `nodeName` or `unbound`. */
  nodeName: 'nn',
  unbound: 'ub',
  boundAt: 'ba',
  toleratedAt: 'ta',
  tolerations: 'tl',
  phase: 'ph',
  deletionTimestamp: 'dt',
  owner: 'ow',
  terminatedPlace: 'tp',
  /** True on an object whose owner edges are stored. */
  hasEdges: 'oe',
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
  /** When the object of the entry expires (ms). */
  objectExpiresAt: 'ox',
  expiresAt: 'x',
} as const;

/** Items of `heartbeats`: a node's entry (it has `uid`), a Lease (`lease`), both, or a marker; rosters and batches of relays. */
export const HEARTBEAT = {
  /** `<namespace>/<name>`. */
  partition: 'pk',
  uid: 'u',
  observedAt: 'o',
  leaseAt: 'l',
  statusAt: 's',
  plainAt: 'p',
  relayAt: 'r',
  aheadAt: 'a',
  /** A list of two numbers: milliseconds of silence, and the instant of the beat that ended it. */
  patience: 'pa',
  times: 't',
  version: 'v',
  workRevision: 'w',
  /** Relays of a node, as text. */
  relays: 'rl',
  /** Items of relays: deflated JSON of a roster and its revision; the last batch, its ages four bytes each. */
  roster: 'ro',
  rosterRevision: 'rr',
  /** When the relay was deleted. */
  closedAt: 'ca',
  sequence: 'q',
  receivedAt: 'ra',
  agesRoster: 'ar',
  ages: 'ag',
  workChanges: 'wc',
  lease: 'le',
  leaseUid: 'lu',
  leaseCreatedAt: 'lc',
  expiresAt: 'x',
} as const;

/** Items of `control`: revision counters, floor samples, the pass, zones, deadlines, claims and counters of nodes, owner edges and turns, blocks of addresses. */
export const CONTROL = {
  partition: 'pk',
  sort: 'sk',
  expiresAt: 'x',
  /** Attributes of counters and floor samples. */
  counter: 'n',
  /** A list of numbers: revision and instant (ms) of each watermark, oldest first. */
  watermarks: 'wm',
  seed: 's',
  /** Of counters and of the book of holds, and the book as JSON. */
  holdEpoch: 'he',
  holdBook: 'hk',
  /** Attributes of the pass. In a zone record, `pass` is the pass that wrote it. */
  pass: 'p',
  lastTick: 'lt',
  leaseUntil: 'lu',
  clockFloor: 'cf',
  aheadFloor: 'af',
  floorPass: 'fp',
  completedAt: 'pa',
  completedNodes: 'pn',
  queuedUntil: 'qu',
  calmUntil: 'cu',
  counterSince: 'cs',
  /** Attributes of zones. */
  zoneKey: 'zk',
  state: 'st',
  size: 'sz',
  notReady: 'nr',
  limiterRate: 'lr',
  limiterNextAt: 'ln',
  waiting: 'w',
  waitingCount: 'wc',
  changedAt: 'ch',
  reason: 'why',
  policies: 'po',
  isHeld: 'hd',
  heldBack: 'hb',
  wakeAt: 'wa',
  updatedAt: 'at',
  /** Public keys, as JSON. */
  publicKeys: 'pks',
  /** Attributes of deadlines. */
  namespace: 'ns',
  name: 'nm',
  uid: 'u',
  nodeName: 'nn',
  startAt: 'sa',
  deadlineShard: 'ds',
  fireAt: 'fa',
  /** Attributes of claims and counters. Each counter is an attribute of its own, named `+` and the counter's name. */
  claimedAt: 'ca',
  /** What the claim counts, as JSON. */
  claim: 'cl',
  digest: 'dg',
  writes: 'wr',
  /** Attributes of the sweep over claims and counters, beside `writes` and `leaseUntil`. */
  position: 'po',
  isClean: 'cn',
  endedAt: 'ea',
  isReconciled: 'rd',
  /** Attributes of owner edges, each absent where it would be false, and the summary where there is none. */
  isController: 'ic',
  blocksDeletion: 'bd',
  summary: 'su',
  /** Attributes of an owner's turn: lease item and copies of the number. */
  turn: 'tn',
  run: 'ru',
  wanted: 'wt',
  /** Attributes of blocks, ranges and waiting Nodes. Holders are a set of `<uid>/<name>`, wide holds one of `<first>-<last>/<uid>/<name>`. */
  holders: 'bh',
  wide: 'bw',
  nextBlock: 'bn',
  waitingSince: 'bs',
  entered: 'be',
  /** An event that waits for a sink, as JSON. */
  event: 'ev',
  /** The instant to which tables were restored. */
  restoredTo: 'rs',
} as const;

/** The names of the indexes. */
export const INDEX = {
  nodeHealth: 'node-health',
  podsByNode: 'pods-by-node',
  unboundPods: 'unbound-pods',
  terminatedPods: 'terminated-pods',
  deadlines: 'deadlines',
} as const;

const NODE_HEALTH: IndexSchema = {
  name: INDEX.nodeHealth,
  // It reuses the partition key of the table: that has 16 shards, and another attribute would add 9 bytes to each row.
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

const TERMINATED_PODS: IndexSchema = {
  name: INDEX.terminatedPods,
  // As in `node-health`. Only pods that have ended have the sort key.
  partitionKey: { name: OBJECT.partition, type: 'S' },
  sortKey: { name: OBJECT.terminatedPlace, type: 'S' },
  projection: 'keys',
};

const DEADLINES: IndexSchema = {
  name: INDEX.deadlines,
  partitionKey: { name: CONTROL.deadlineShard, type: 'N' },
  sortKey: { name: CONTROL.fireAt, type: 'N' },
  projection: 'all',
};

/** The four tables. */
export const TABLES: Readonly<Record<keyof TableNames, TableSchema>> = {
  objects: {
    partitionKey: { name: OBJECT.partition, type: 'S' },
    sortKey: { name: OBJECT.sort, type: 'S' },
    ttl: OBJECT.expiresAt,
    stream: 'NEW_AND_OLD_IMAGES',
    isRestorable: true,
    indexes: [NODE_HEALTH, PODS_BY_NODE, UNBOUND_PODS, TERMINATED_PODS],
  },
  changes: {
    partitionKey: { name: CHANGE.partition, type: 'S' },
    sortKey: { name: CHANGE.sort, type: 'N' },
    ttl: CHANGE.expiresAt,
    // It holds three hours of changes to rows that `objects` holds, too.
    isRestorable: false,
    indexes: [],
  },
  heartbeats: {
    partitionKey: { name: HEARTBEAT.partition, type: 'S' },
    ttl: HEARTBEAT.expiresAt,
    isRestorable: true,
    indexes: [],
  },
  control: {
    partitionKey: { name: CONTROL.partition, type: 'S' },
    sortKey: { name: CONTROL.sort, type: 'S' },
    ttl: CONTROL.expiresAt,
    isRestorable: true,
    indexes: [DEADLINES],
  },
};
