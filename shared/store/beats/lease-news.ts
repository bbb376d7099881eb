/**
 * Reports which Leases were written recently. Leases have no change log, because each renewal would be an entry. Their watches
 * scan the roll call, and between scans they read only the Leases named here.
 */
import { StatusError } from '../../kube/errors/status-error.ts';
import { NODE_LEASE_NAMESPACE } from '../../kube/types/well-known.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { BeatsAtOnce } from '../../ports/store/beats-at-once.ts';
import type { Counter } from '../../ports/store/change-log.ts';
import type { HeartbeatStore, LeaseKey } from '../../ports/store/heartbeats.ts';
import type { ObjectStore } from '../../ports/store/object-store.ts';
import type { Revision } from '../../ports/store/rows.ts';
import type { CommitDeps } from '../commit/commit-protocol.ts';

/** The Leases written recently, for one watch source. */
export interface LeaseNews {
  /** `namespace/name` of the Leases written since the last call; `all`: too many to read one by one. */
  take(): Promise<readonly string[] | 'all'>;
  /** Whether renewals are reported, too. If they are, a scan finds nothing new. */
  readonly isComplete: boolean;
  /** Milliseconds after which to ask again, unless a notification comes sooner. */
  readonly restMs: number;
}

type OnLease = (key: LeaseKey) => unknown;

/** Callbacks that are called after a write of a Lease was stored. */
export interface LeaseListener {
  /** A Lease was created or deleted. Deleting a Node also deletes its Lease. */
  readonly onChange: OnLease;
  readonly onRenewal?: OnLease;
}

interface LeaseStores {
  readonly heartbeats: HeartbeatStore;
  readonly objects: ObjectStore;
}

const overHeartbeats = (store: HeartbeatStore, { onChange, onRenewal }: LeaseListener): HeartbeatStore => ({
  ...store,
  writeLease: async (write) => {
    const result = await store.writeLease(write);
    const isCreation = write.expected === undefined;
    if (result.outcome === 'stored') await (isCreation ? onChange : onRenewal)?.(write.key);
    return result;
  },
  deleteLease: async (...given) => {
    const result = await store.deleteLease(...given);
    if (result.outcome === 'stored') await onChange(given[0]);
    return result;
  },
});

const overObjects = (objects: ObjectStore, { onChange }: LeaseListener): ObjectStore => ({
  ...objects,
  commit: async (commit) => {
    const result = await objects.commit(commit);
    const { heartbeat } = commit;
    if (result.outcome === 'committed' && heartbeat?.effect === 'retire')
      await onChange({ namespace: NODE_LEASE_NAMESPACE, name: heartbeat.node });
    return result;
  },
});

/** Wraps the stores so that they notify `listener` of each Lease written through them. */
export const withLeaseListener = <T extends LeaseStores>(stores: T, listener: LeaseListener): T => ({
  ...stores,
  heartbeats: overHeartbeats(stores.heartbeats, listener),
  objects: overObjects(stores.objects, listener),
});

/** Beats that call `onLease` for each Lease that they have written. */
export const withLeaseNews = (beats: BeatsAtOnce, onLease: (key: LeaseKey) => void): BeatsAtOnce => ({
  ...beats,
  writeLease: (write) => {
    const result = beats.writeLease(write);
    if (result.outcome === 'stored') onLease(write.key);
    return result;
  },
});

const pathOf = ({ namespace, name }: LeaseKey): string => `${namespace}/${name}`;

/** Lease news for a process that is the only writer of Leases. Pass each written Lease to `add`. */
export const createLocalLeaseNews = (): LeaseNews & { readonly add: OnLease } => {
  const written = new Set<string>();
  return {
    isComplete: true,
    restMs: Number.POSITIVE_INFINITY,
    add: (key) => written.add(pathOf(key)),
    take: async () => {
      const paths = [...written];
      written.clear();
      return paths;
    },
  };
};

/** Notes are stored in the change log of Leases, which has no other entries. */
const RESOURCE = 'leases';

/**
 * Stores a note for the watches of other processes; this costs two writes. If it fails, the request still succeeds, because it
 * has been carried out: watches find the change in their next scan.
 */
export const noteLease =
  ({ objects, clock }: Pick<CommitDeps, 'objects' | 'clock'>): OnLease =>
  async (key) => {
    const at = clock.now();
    try {
      const { highest: revision } = await objects.takeRevisions(RESOURCE, 1, at);
      // The tombstone holds no change; its attempt is the path of the Lease that was written.
      await objects.putTombstone(RESOURCE, { slot: 'tombstone', revision, attempt: pathOf(key), at });
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
    }
  };

/** Poll interval (ms) of the notes, as of the change log. */
const POLL_MS = 500;
/** Minimum interval (ms) between two reads of the notes, regardless of the number of callers. */
const LEAST_GAP_MS = POLL_MS / 2;
/** Number of notes up to which they are read one by one; above it a scan is cheaper. */
const MOST_NOTES = 64;
/** Milliseconds to wait for a note whose revision was taken; after that the next scan finds its change. */
const NOTE_MAX_AGE_MS = 5_000;

/** Lease news that reads the notes of all processes, at most every 250 ms. */
export const followLeaseNotes = ({ objects, clock }: Pick<CommitDeps, 'objects' | 'clock'>): LeaseNews => {
  let readUpTo: Revision | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  const awaited = new Map<Revision, EpochMs>();

  const readAwaited = async (now: EpochMs): Promise<readonly string[]> => {
    const numbers = [...awaited.keys()];
    const { slots } = await objects.slots(RESOURCE, Math.min(...numbers), Math.max(...numbers));
    const found = numbers.flatMap((number) => slots.get(number) ?? []);
    for (const { revision } of found) awaited.delete(revision);
    for (const [number, since] of awaited) if (now - since >= NOTE_MAX_AGE_MS) awaited.delete(number);
    return [...new Set(found.map(({ attempt }) => attempt))];
  };

  const takeUpTo = async ({ counter, seed }: Counter, now: EpochMs): Promise<readonly string[] | 'all'> => {
    const from = readUpTo === 0 ? seed : (readUpTo ?? counter);
    readUpTo = counter;
    // Also start again when a restore has set the counter back.
    if (counter < from || counter - from + awaited.size > MOST_NOTES) {
      awaited.clear();
      return 'all';
    }
    for (let number = from + 1; number <= counter; number += 1) awaited.set(number, now);
    return awaited.size === 0 ? [] : readAwaited(now);
  };

  return {
    isComplete: false,
    restMs: POLL_MS,
    take: async () => {
      const now = clock.now();
      if (now - askedAt < LEAST_GAP_MS) return [];
      askedAt = now;
      const counter = await objects.counter(RESOURCE);
      if (counter) return takeUpTo(counter, now);
      readUpTo = 0;
      return [];
    },
  };
};
