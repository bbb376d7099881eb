import type { HeartbeatTable } from '../../shared/adapters/in-process/tables.ts';
import type { EpochMs } from '../../shared/api/time.ts';
import { toTime } from '../../shared/api/time.ts';
import { NODE_LEASE_NAMESPACE } from '../../shared/api/well-known.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { HeartbeatItem, StoredLease } from '../../shared/ports/heartbeats.ts';
import { HEARTBEAT_RETENTION_MS } from '../../shared/state/object-writer.ts';
import type { Schedule } from './schedule.ts';
import { beatsBetween, lastBeat } from './schedule.ts';

/** How a machine answers the roll call. */
export interface Beating {
  /** `plain`: by curl, the control plane keeps its Ready; `kubelet`: by its Lease, and it posts Ready itself. */
  readonly style: 'plain' | 'kubelet';
  readonly schedule: Schedule;
  /** How wrong the machine's own clock is, ms. */
  readonly clockSkewMs: number;
}

interface Entry {
  readonly beating: Beating;
  item: Writable<HeartbeatItem> | undefined;
  /** Beats up to this instant are in `item`, or were refused. */
  seenUntil: EpochMs;
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

const LEASE_SECONDS = 40;

/** A Lease as its last renewal left it; `renewTime` is spelt out only for who asks. */
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

/** Moves the item as a beat at `at` does. In place: a copy for each node of each pass would be most of a simulation. */
const beat = (item: Writable<HeartbeatItem>, at: EpochMs, { style }: Beating): void => {
  item.observedAt = later(at, item.observedAt);
  item.expiresAt = later(at + HEARTBEAT_RETENTION_MS, item.expiresAt);
  if (style === 'plain') {
    item.plainAt = later(at, item.plainAt);
    return;
  }
  item.version = Math.max(at, (item.version ?? 0) + 1);
  item.leaseAt = later(at, item.leaseAt);
};

/** A Lease is made by the first of the beats that nobody has looked at yet. */
const firstLease = (
  item: HeartbeatItem,
  { schedule, clockSkewMs }: Beating,
  after: EpochMs,
  now: EpochMs,
): StoredLease => leaseOf(item, beatsBetween(schedule, after, now).next().value ?? now, clockSkewMs);

/** The item with the beats up to `now`. Only the last of them shows: each replaces the one before. */
const upToDate = (entry: Entry, now: EpochMs): HeartbeatItem | undefined => {
  const { item, beating, seenUntil } = entry;
  if (now <= seenUntil) return item;
  // Without a Node's uid a beat is refused, and so is a Lease write by the token of that Node.
  const at = item?.uid === undefined ? undefined : lastBeat(beating.schedule, now, seenUntil);
  if (item && at !== undefined) {
    beat(item, at, beating);
    if (beating.style === 'kubelet') item.lease ??= firstLease(item, beating, seenUntil, now);
  }
  entry.seenUntil = now;
  return item;
};

/** The item as it is at this instant, whatever comes. */
const snapshot = (item: HeartbeatItem | undefined): HeartbeatItem | undefined =>
  item && { ...item, ...(item.lease ? { lease: structuredClone(item.lease) } : {}) };

/** An item of its own for the table to move: a Lease that was stored goes on from its renewals. */
const owned = (item: HeartbeatItem, { clockSkewMs }: Beating): HeartbeatItem => {
  const copy: Writable<HeartbeatItem> = { ...item };
  if (item.lease) copy.lease = leaseOf(copy, item.lease.createdAt, clockSkewMs);
  return copy;
};

/**
 * The roll call of machines whose beats are a schedule: an item is computed when it is read, which is the same to every
 * reader as one `beat()` or `writeLease()` call for each of them, and lets an hour of 36 million beats pass in no time.
 * What a scan shows is good for the instant of the scan, unless `isLasting`; what `get` returns is good for ever.
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
