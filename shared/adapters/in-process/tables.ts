import type { EpochMs } from '../../api/time.ts';
import type { PassRecord, PodDeadline, ZoneRecord } from '../../ports/control-store.ts';
import type { HeartbeatItem } from '../../ports/heartbeats.ts';
import type { ObjectKey } from '../../ports/rows.ts';

/** The table that the rules of heartbeat items need, keyed by `namespace/name`; a `Map` is sufficient. */
export interface HeartbeatTable {
  get(path: string): HeartbeatItem | undefined;
  set(path: string, item: HeartbeatItem): void;
  values(): Iterable<HeartbeatItem>;
}

/** The tables that the rules of the roll call need. Each rule runs synchronously. */
export interface RollCall {
  readonly heartbeats: HeartbeatTable;
  /** uid of a node; `undefined` if the node does not exist. */
  nodeUid(node: string): string | undefined;
}

/** The tables that the rules of the control table need: zones by id, deadlines by `namespace/name`. */
export interface ControlTables {
  pass: PassRecord | undefined;
  readonly zones: {
    get(id: string): ZoneRecord | undefined;
    set(id: string, zone: ZoneRecord): void;
    delete(id: string): void;
    values(): Iterable<ZoneRecord>;
  };
  readonly deadlines: {
    get(path: string): PodDeadline | undefined;
    set(path: string, deadline: PodDeadline, expiresAt: EpochMs): void;
    delete(path: string): void;
    /** With `fireAt` at or before `before`, earliest first. */
    due(before: EpochMs): readonly PodDeadline[];
  };
  /** All of `work`'s writes or none, durable at once. */
  together<T>(work: () => T): T;
}

/** `namespace/name`, the order of lists. */
export const pathOf = ({ namespace, name }: Pick<ObjectKey, 'namespace' | 'name'>): string =>
  `${namespace}/${name}`;
