import type { EpochMs } from '../../kube/values/time.ts';
import type {
  PassRecord,
  PodDeadline,
  Sighting,
  SightingKey,
  ZoneRecord,
} from '../../ports/store/control-store.ts';
import type { HeartbeatItem } from '../../ports/store/heartbeats.ts';
import type { ObjectKey } from '../../ports/store/rows.ts';
import type { HoldBook } from '../../rules/holds/hold-book.ts';
import type { CheckedRow } from './row-checks.ts';

/** The table that the rules of heartbeat items need, keyed by `namespace/name`; a `Map` is sufficient. */
export interface HeartbeatTable {
  get(path: string): HeartbeatItem | undefined;
  set(path: string, item: HeartbeatItem): void;
  values(): Iterable<HeartbeatItem>;
  /** Whether a crash may have lost renewals of this Lease, and its version has not changed since. */
  mayHaveLost?(path: string): boolean;
}

/** The tables that the rules of the roll call need. Each rule runs synchronously. */
export interface RollCall {
  readonly heartbeats: HeartbeatTable;
  /** uid of a node; `undefined` if the node does not exist. */
  nodeUid(node: string): string | undefined;
  /** What is stored of an object. */
  row(key: ObjectKey): CheckedRow | undefined;
}

/** The tables that the rules of the control table need: zones by id, deadlines by `namespace/name`. */
export interface ControlTables {
  pass: PassRecord | undefined;
  holds: HoldBook | undefined;
  /** The counter of the resource `nodes`; 0: none. */
  counter(): number;
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
    /** Deadlines with `fireAt` at or before `before`, earliest first. */
    due(before: EpochMs): readonly PodDeadline[];
  };
  readonly sightings: {
    get(key: SightingKey): Sighting | undefined;
    set(sighting: Sighting): void;
    delete(key: SightingKey): void;
    /** Those whose names begin with the prefix. */
    of(topic: Sighting['topic'], prefix: string): readonly Sighting[];
  };
  /** Carries out all of `work`'s writes or none; they are durable when it returns. */
  together<T>(work: () => T): T;
}

/** The path of an object within its resource, `namespace/name`, by which lists are sorted. */
export const pathOf = ({ namespace, name }: Pick<ObjectKey, 'namespace' | 'name'>): string =>
  `${namespace}/${name}`;
