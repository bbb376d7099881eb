import type { Counter, FloorSample, Slot } from '../../ports/store/change-log.ts';
import type { Revision, Row } from '../../ports/store/rows.ts';
import type { NodeHealthRow } from '../../rules/nodes/node-health.ts';
import type { AddressTables } from '../in-process/addresses.ts';
import type { CapacityTables } from '../in-process/capacity.ts';
import type { EdgeTables } from '../in-process/owner-edges.ts';
import type { TurnTable } from '../in-process/owner-turns.ts';
import type { HeartbeatTable } from '../in-process/tables.ts';
import type { TokenUseTable } from '../in-process/token-uses.ts';

/** Objects and change log of one resource. Rows are stored by `namespace/name`. */
export interface ResourceTables {
  counter: Counter | undefined;
  /** The epoch of the book of holds that the counter knows. */
  holdEpoch: number;
  readonly rows: Map<string, Row>;
  /** Paths of the live rows in the order of lists; `undefined` after an object was created or deleted, until the next list. */
  livePaths: readonly string[] | undefined;
  /** The `node-health` index. Each write of a node updates it, because passes read it far more often. */
  readonly health: Map<string, NodeHealthRow>;
  /** The values of `health` as one page; `undefined` after a node was written, until the next read. */
  healthPage: readonly NodeHealthRow[] | undefined;
  /** The `pods-by-node` index: paths of the live pods by `spec.nodeName`, `''` for none. */
  readonly byNode: Map<string, Set<string>>;
  readonly slots: Map<Revision, Slot>;
  samples: readonly FloorSample[];
}

/** The tables that the memory adapters of one control plane share. */
export interface MemoryTables {
  readonly resources: Map<string, ResourceTables>;
  readonly heartbeats: HeartbeatTable;
  readonly capacity: CapacityTables;
  readonly edges: EdgeTables;
  readonly turns: TurnTable;
  readonly addresses: AddressTables;
  readonly tokenUses: TokenUseTable;
  /** Called for each committed change. */
  readonly onChange: (before: Row | undefined, after: Row) => void;
}
