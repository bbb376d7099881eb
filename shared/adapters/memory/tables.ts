import type { NodeHealthRow } from '../../domain/node-health.ts';
import type { HeartbeatItem } from '../../ports/heartbeats.ts';
import type { Counter, FloorSample, ObjectKey, Revision, Row, Slot } from '../../ports/object-log.ts';
import type { ControlTables } from './control-store.ts';

/** Objects and log of one resource; rows by `namespace/name`. */
export interface ResourceTables {
  counter: Counter | undefined;
  readonly rows: Map<string, Row>;
  /** The `node-health` index, kept as nodes are written: passes read it far more often. */
  readonly health: Map<string, NodeHealthRow>;
  /** The same as a page, until a node is written. */
  healthPage: readonly NodeHealthRow[] | undefined;
  /** The `pods-by-node` index: paths of the live pods by `spec.nodeName`, `''` for none. */
  readonly byNode: Map<string, Set<string>>;
  readonly slots: Map<Revision, Slot>;
  samples: readonly FloorSample[];
}

/** The items of the roll call; a simulation computes them when they are read. */
export type HeartbeatTable = Pick<Map<string, HeartbeatItem>, 'get' | 'set' | 'values'>;

/** Everything that the memory adapters of one control plane share. */
export interface MemoryTables {
  readonly resources: Map<string, ResourceTables>;
  /** By `namespace/name`. */
  readonly heartbeats: HeartbeatTable;
  readonly control: ControlTables;
}

/** `namespace/name`, the order of lists. */
export const pathOf = ({ namespace, name }: Pick<ObjectKey, 'namespace' | 'name'>): string =>
  `${namespace}/${name}`;
