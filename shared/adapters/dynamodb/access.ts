/** The requests that groups of store methods send to the tables. The IAM grants are derived from this list. */
import { INDEX, type TableNames } from './table/schema.ts';

type Action =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'Scan'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'ConditionCheckItem';

export interface TableRequests {
  readonly table: keyof TableNames;
  /** The index that is queried; absent if the request is to the table itself. */
  readonly index?: string;
  readonly actions: readonly Action[];
}

const WRITE_OBJECT = [
  { table: 'objects', actions: ['GetItem', 'PutItem', 'ConditionCheckItem'] },
  { table: 'changes', actions: ['BatchGetItem', 'PutItem'] },
  { table: 'control', actions: ['UpdateItem', 'PutItem', 'DeleteItem'] },
] as const;

const GROUPS = {
  /** Reads one object consistently. */
  readObject: [{ table: 'objects', actions: ['GetItem'] }],
  /** Reads a page of objects. */
  listObjects: [{ table: 'objects', actions: ['Query'] }],
  /** Reads the change log (counter, slots and floor), and fills slots whose commit never arrived. */
  followLog: [
    { table: 'changes', actions: ['BatchGetItem', 'Query', 'PutItem'] },
    { table: 'control', actions: ['GetItem', 'UpdateItem', 'PutItem', 'Query'] },
  ],
  /** Commits a change: takes a revision, then writes object, log slot and owner edges in one transaction. */
  writeObject: WRITE_OBJECT,
  /** Commits a change as `writeObject`, also a birth or a deletion of a Node, or one that depends on its beats: with its heartbeat item. */
  writeNode: [
    ...WRITE_OBJECT,
    { table: 'heartbeats', actions: ['GetItem', 'UpdateItem', 'ConditionCheckItem'] },
  ],
  /** Writes heartbeats and Leases. An expired item is created again if its Node exists. */
  beat: [
    { table: 'heartbeats', actions: ['GetItem', 'UpdateItem'] },
    { table: 'objects', actions: ['ConditionCheckItem'] },
  ],
  /** Deletes Leases. */
  deleteLeases: [{ table: 'heartbeats', actions: ['UpdateItem'] }],
  /** Announces a new Lease to watches: takes a revision and writes its slot in the change log. */
  noteLease: [
    { table: 'control', actions: ['UpdateItem'] },
    { table: 'changes', actions: ['PutItem'] },
  ],
  readHeartbeat: [{ table: 'heartbeats', actions: ['GetItem'] }],
  /** Reads what is stored of a relay, and the entries of its nodes. */
  readRelays: [{ table: 'heartbeats', actions: ['BatchGetItem'] }],
  /** Stores the roster and the batches of a relay. */
  writeRelays: [{ table: 'heartbeats', actions: ['UpdateItem'] }],
  scanHeartbeats: [{ table: 'heartbeats', actions: ['Scan'] }],
  /** Replaces beats that are ahead of the clock, and stores what nodes have learned. */
  takeBackBeats: [{ table: 'heartbeats', actions: ['UpdateItem'] }],
  bumpWorkRevision: [{ table: 'heartbeats', actions: ['UpdateItem'] }],
  nodeHealth: [{ table: 'objects', index: INDEX.nodeHealth, actions: ['Query'] }],
  podsByNode: [
    { table: 'objects', index: INDEX.podsByNode, actions: ['Query'] },
    { table: 'objects', actions: ['BatchGetItem'] },
  ],
  /** Reads the pods without a node. */
  unboundPods: [
    { table: 'objects', index: INDEX.unboundPods, actions: ['Query'] },
    { table: 'objects', actions: ['BatchGetItem'] },
  ],
  terminatedPods: [{ table: 'objects', index: INDEX.terminatedPods, actions: ['Query'] }],
  /** Reads what controllers remember. */
  readSightings: [{ table: 'control', actions: ['GetItem'] }],
  /** Reads what controllers remember of a topic, and forgets some of it. */
  forgetSightings: [{ table: 'control', actions: ['GetItem', 'Query', 'DeleteItem'] }],
  /** Reads and writes what controllers remember. */
  sightings: [{ table: 'control', actions: ['GetItem', 'Query', 'PutItem', 'DeleteItem'] }],
  /** Stores events for sinks. */
  storeEvents: [{ table: 'control', actions: ['PutItem'] }],
  /** Reads events that wait for a sink, and removes those that it has. */
  sendEvents: [{ table: 'control', actions: ['Query', 'DeleteItem'] }],
  /** Reads which names have counters. */
  readCounters: [{ table: 'control', actions: ['Query'] }],
  /** Commits that change claims and counters, besides `writeObject`: binds, pods made with a node, resizes, births and deletions of Nodes. */
  keepClaims: [{ table: 'control', actions: ['GetItem', 'PutItem', 'UpdateItem'] }],
  /** Reads all claims of a node. */
  readClaims: [{ table: 'control', actions: ['Query'] }],
  /** Takes, prolongs and ends the turn of an owner. */
  takeTurns: [{ table: 'control', actions: ['GetItem', 'UpdateItem'] }],
  /** Reads claims and ends or deletes them, with the counters. */
  releaseClaims: [
    { table: 'control', actions: ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'] },
    { table: 'objects', actions: ['ConditionCheckItem'] },
  ],
  /** Reads the counters of all nodes, repairs them, and stores how far the sweep has come. */
  sweepCapacity: [{ table: 'control', actions: ['GetItem', 'Query', 'PutItem', 'DeleteItem'] }],
  /** Reads the dependents of an owner, and whether all objects have their edges. */
  readOwnerEdges: [{ table: 'control', actions: ['Query', 'GetItem'] }],
  /** Stores that all objects have their edges. */
  completeOwnerEdges: [{ table: 'control', actions: ['PutItem'] }],
  /** Commits children of an owner, besides `writeObject`: they check its turn. */
  writeChildren: [
    { table: 'control', actions: ['ConditionCheckItem'] },
    { table: 'objects', actions: ['PutItem'] },
    { table: 'changes', actions: ['PutItem'] },
  ],
  readZone: [{ table: 'control', actions: ['GetItem'] }],
  readZones: [{ table: 'control', actions: ['Query'] }],
  writeZones: [{ table: 'control', actions: ['UpdateItem', 'DeleteItem'] }],
  /** Writes the rate limiter and the wake-up of a zone. */
  paceZone: [{ table: 'control', actions: ['UpdateItem'] }],
  /** Counts the open watches of each user. */
  watchSlots: [{ table: 'control', actions: ['Query', 'PutItem', 'UpdateItem'] }],
  /** Records who uses tokens of a key that no longer signs. */
  recordKeyUse: [{ table: 'control', actions: ['PutItem'] }],
  readKeyUses: [{ table: 'control', actions: ['Query'] }],
  readPublicKeys: [{ table: 'control', actions: ['GetItem'] }],
  publishKeys: [{ table: 'control', actions: ['PutItem'] }],
  /** Reads the book of holds, when a counter says that there is one. */
  readHolds: [{ table: 'control', actions: ['GetItem'] }],
  /** Reads and replaces the book of holds. */
  writeHolds: [{ table: 'control', actions: ['GetItem', 'PutItem'] }],
  /** Reads and writes who holds which blocks of addresses, and which Nodes wait. */
  addresses: [
    { table: 'control', actions: ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'] },
    { table: 'objects', actions: ['ConditionCheckItem'] },
  ],
  readPass: [{ table: 'control', actions: ['GetItem'] }],
  /** Writes the node monitor's pass: its lease, its number, and the clock floor; reads it with the counter of Nodes. */
  runPass: [{ table: 'control', actions: ['UpdateItem', 'BatchGetItem'] }],
  /** Reads the deadlines of pods. */
  readDeadlines: [{ table: 'control', actions: ['BatchGetItem'] }],
  deadlines: [
    { table: 'control', actions: ['BatchGetItem', 'PutItem', 'DeleteItem'] },
    { table: 'control', index: INDEX.deadlines, actions: ['Query'] },
  ],
} as const satisfies Record<string, readonly TableRequests[]>;

export type AccessGroup = keyof typeof GROUPS;

/** The requests of all given groups. */
export const requestsOf = (groups: readonly AccessGroup[]): readonly TableRequests[] =>
  groups.flatMap((group): readonly TableRequests[] => GROUPS[group]);
