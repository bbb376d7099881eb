import type { HeartbeatItem } from '../../ports/heartbeats.ts';
import type { Counter, FloorSample, ObjectKey, Revision, Row, Slot } from '../../ports/object-log.ts';
import type { ControlTables } from './control-store.ts';

/** Objects and log of one resource; rows by `namespace/name`. */
export interface ResourceTables {
  counter: Counter | undefined;
  readonly rows: Map<string, Row>;
  readonly slots: Map<Revision, Slot>;
  samples: readonly FloorSample[];
}

/** Everything that the memory adapters of one control plane share. */
export interface MemoryTables {
  readonly resources: Map<string, ResourceTables>;
  /** By `namespace/name`. */
  readonly heartbeats: Map<string, HeartbeatItem>;
  readonly control: ControlTables;
}

/** `namespace/name`, the order of lists. */
export const pathOf = ({ namespace, name }: Pick<ObjectKey, 'namespace' | 'name'>): string =>
  `${namespace}/${name}`;
