import type { NodeHealthRow } from '../../domain/nodes/node-health.ts';
import type { Counter, FloorSample, Slot } from '../../ports/change-log.ts';
import type { Revision, Row } from '../../ports/rows.ts';
import type { HeartbeatTable } from '../in-process/tables.ts';

/** Objects and log of one resource; rows by `namespace/name`. */
export interface ResourceTables {
  counter: Counter | undefined;
  readonly rows: Map<string, Row>;
  /** Paths of the live rows in the order of lists, until an object is made or deleted. */
  livePaths: readonly string[] | undefined;
  /** The `node-health` index, kept as nodes are written: passes read it far more often. */
  readonly health: Map<string, NodeHealthRow>;
  /** The same as a page, until a node is written. */
  healthPage: readonly NodeHealthRow[] | undefined;
  /** The `pods-by-node` index: paths of the live pods by `spec.nodeName`, `''` for none. */
  readonly byNode: Map<string, Set<string>>;
  readonly slots: Map<Revision, Slot>;
  samples: readonly FloorSample[];
}

/** Everything that the memory adapters of one control plane share. */
export interface MemoryTables {
  readonly resources: Map<string, ResourceTables>;
  readonly heartbeats: HeartbeatTable;
  /** Hears of each committed change. */
  readonly onChange: (before: Row | undefined, after: Row) => void;
}
