/** What groups of store methods ask of the tables: grants follow this list, action by action. */
import { INDEX, type TableNames } from '../../shared/adapters/dynamodb/schema.ts';

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
  /** Of this index; of the table itself when absent. */
  readonly index?: string;
  readonly actions: readonly Action[];
}

const GROUPS = {
  /** One object, read consistently. */
  readObject: [{ table: 'objects', actions: ['GetItem'] }],
  /** A page of objects. */
  listObjects: [{ table: 'objects', actions: ['Query'] }],
  /** Following the change log: counter, slots, floor; who meets a hole fills it. */
  followLog: [
    { table: 'changes', actions: ['BatchGetItem', 'Query', 'PutItem'] },
    { table: 'control', actions: ['GetItem', 'UpdateItem', 'PutItem', 'Query'] },
  ],
  /** A commit: number, object, slot and what it says of the node's heartbeat item, in one transaction. */
  writeObject: [
    { table: 'objects', actions: ['GetItem', 'PutItem', 'ConditionCheckItem'] },
    { table: 'changes', actions: ['BatchGetItem', 'PutItem'] },
    { table: 'control', actions: ['UpdateItem', 'PutItem'] },
    { table: 'heartbeats', actions: ['GetItem', 'UpdateItem', 'ConditionCheckItem'] },
  ],
  /** Beats and leases; an item that expired is made again if its Node is there. */
  beat: [
    { table: 'heartbeats', actions: ['GetItem', 'UpdateItem'] },
    { table: 'objects', actions: ['ConditionCheckItem'] },
  ],
  /** Tells watches of a Lease that was made: a number, and a note at it. */
  noteLease: [
    { table: 'control', actions: ['UpdateItem'] },
    { table: 'changes', actions: ['PutItem'] },
  ],
  readHeartbeat: [{ table: 'heartbeats', actions: ['GetItem'] }],
  scanHeartbeats: [{ table: 'heartbeats', actions: ['Scan'] }],
  bumpWorkRevision: [{ table: 'heartbeats', actions: ['UpdateItem'] }],
  nodeHealth: [{ table: 'objects', index: INDEX.nodeHealth, actions: ['Query'] }],
  podsByNode: [
    { table: 'objects', index: INDEX.podsByNode, actions: ['Query'] },
    { table: 'objects', actions: ['BatchGetItem'] },
  ],
  readZones: [{ table: 'control', actions: ['GetItem', 'Query'] }],
  writeZones: [{ table: 'control', actions: ['UpdateItem', 'DeleteItem'] }],
  /** Limiter and wake-up of a zone. */
  paceZone: [{ table: 'control', actions: ['UpdateItem'] }],
  /** Who has how many watches open. */
  watchSlots: [{ table: 'control', actions: ['Query', 'PutItem', 'UpdateItem'] }],
  /** Who uses tokens of a key that no longer signs. */
  recordKeyUse: [{ table: 'control', actions: ['PutItem'] }],
  readKeyUses: [{ table: 'control', actions: ['Query'] }],
  readPass: [{ table: 'control', actions: ['GetItem'] }],
  /** Lease, number and floor of the monitor's pass. */
  runPass: [{ table: 'control', actions: ['UpdateItem'] }],
  deadlines: [
    { table: 'control', actions: ['BatchGetItem', 'PutItem', 'DeleteItem'] },
    { table: 'control', index: INDEX.deadlines, actions: ['Query'] },
  ],
} as const satisfies Record<string, readonly TableRequests[]>;

export type AccessGroup = keyof typeof GROUPS;

export const requestsOf = (groups: readonly AccessGroup[]): readonly TableRequests[] =>
  groups.flatMap((group): readonly TableRequests[] => GROUPS[group]);
