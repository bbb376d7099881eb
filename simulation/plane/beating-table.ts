import type { HeartbeatTable } from '../../shared/adapters/in-process/tables.ts';
import { NODE_LEASE_NAMESPACE } from '../../shared/kube/types/well-known.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import { toTime } from '../../shared/kube/values/time.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { HeartbeatItem, StoredLease } from '../../shared/ports/store/heartbeats.ts';
import { DEFAULTS } from '../../shared/settings/defaults.ts';
import type { Schedule } from './schedule.ts';
import { beatsBetween, lastBeat } from './schedule.ts';

/** How a machine sends its heartbeats. */
export interface Beating {
  /**
   * `plain`: heartbeats by curl, and the control plane writes its Ready. `kubelet`: it renews a Lease and writes its own
   * Ready.
   */
  readonly style: 'plain' | 'kubelet';
  readonly schedule: Schedule;
  /** How far the machine's clock is ahead (ms); negative if it is behind. */
  readonly clockSkewMs: number;
}

interface Entry {
  readonly beating: Beating;
  item: Writable<HeartbeatItem> | undefined;
  /** Heartbeats up to this instant are in `item`, or were refused. */
  seenUntil: EpochMs;
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

const LEASE_SECONDS = 40;

/** A Lease as its last renewal left it. `renewTime` is formatted only when it is read. */
const leaseOf = (item: HeartbeatItem, firstAt: EpochMs, skewMs: number): StoredLease => ({
  uid: item.lease?.uid ?? `lease-${item.name}`,
  createdAt: item.lease?.createdAt ?? firstAt,
  spec: {
    holderIdentity: item.name,
    leaseDurationSeconds: LEASE_SECONDS,
    get renewTime() {
      return toTime((item.leaseAt ?? firstAt) + skewMs);
    },
  },
  metadata: {},
});

const later = (at: EpochMs, stored: EpochMs | undefined): EpochMs =>
  stored === undefined || at > stored ? at : stored;

/** Applies a heartbeat at `at` to the item, in place: copies would take most of the time of a simulation. */
const beat = (item: Writable<HeartbeatItem>, at: EpochMs, { style }: Beating): void => {
  item.observedAt = later(at, item.observedAt);
  item.expiresAt = later(at + DEFAULTS.heartbeatRetentionMs, item.expiresAt);
  if (style === 'plain') {
    item.plainAt = later(at, item.plainAt);
    return;
  }
  item.version = Math.max(at, (item.version ?? 0) + 1);
  item.leaseAt = later(at, item.leaseAt);
};

/** The Lease that the first heartbeat in (`after`, `now`] creates. */
const firstLease = (
  item: HeartbeatItem,
  { schedule, clockSkewMs }: Beating,
  after: EpochMs,
  now: EpochMs,
): StoredLease => leaseOf(item, beatsBetween(schedule, after, now).next().value ?? now, clockSkewMs);

/** The item with the heartbeats up to `now`. Only the last one is applied, because each replaces the one before. */
const upToDate = (entry: Entry, now: EpochMs): HeartbeatItem | undefined => {
  const { item, beating, seenUntil } = entry;
  if (now <= seenUntil) return item;
  // Without the uid of a Node, heartbeats and Lease writes are refused.
  const at = item?.uid === undefined ? undefined : lastBeat(beating.schedule, now, seenUntil);
  if (item && at !== undefined) {
    beat(item, at, beating);
    if (beating.style === 'kubelet') item.lease ??= firstLease(item, beating, seenUntil, now);
  }
  entry.seenUntil = now;
  return item;
};

/** A copy of the item that later heartbeats do not change. */
const snapshot = (item: HeartbeatItem | undefined): HeartbeatItem | undefined =>
  item && { ...item, ...(item.lease ? { lease: structuredClone(item.lease) } : {}) };

/** A copy that the table may change. A stored Lease continues with its renewals. */
const owned = (item: HeartbeatItem, { clockSkewMs }: Beating): HeartbeatItem => {
  const copy: Writable<HeartbeatItem> = { ...item };
  if (item.lease) copy.lease = leaseOf(copy, item.lease.createdAt, clockSkewMs);
  return copy;
};

/**
 * The heartbeat items of machines that follow a schedule. An item is computed when it is read. Readers see the same as if every
 * heartbeat had been written with `beat()` or `writeLease()`, but an hour with 36 million heartbeats costs almost nothing.
 * Items of a scan are valid only at the instant of the scan, unless `isLasting` is true. `get` returns copies.
 */
export const createBeatingTable = (
  clock: Pick<Clock, 'now'>,
  machines: ReadonlyMap<string, Beating>,
  isLasting = false,
): HeartbeatTable => {
  const others = new Map<string, HeartbeatItem>();
  const entries = new Map<string, Entry>();
  for (const [name, beating] of machines)
    entries.set(`${NODE_LEASE_NAMESPACE}/${name}`, { beating, item: undefined, seenUntil: 0 });
  function* values(): Generator<HeartbeatItem> {
    const now = clock.now();
    for (const entry of entries.values()) {
      const item = upToDate(entry, now);
      if (item) yield isLasting ? (snapshot(item) ?? item) : item;
    }
    yield* others.values();
  }
  return {
    get: (path) => {
      const entry = entries.get(path);
      return entry ? snapshot(upToDate(entry, clock.now())) : others.get(path);
    },
    set: (path, item) => {
      const entry = entries.get(path);
      if (!entry) {
        others.set(path, item);
        return;
      }
      entry.item = owned(item, entry.beating);
      entry.seenUntil = clock.now();
    },
    values,
  };
};
