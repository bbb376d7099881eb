import { byText } from '../../kube/text/compare-text.ts';
import type { AddressStore } from '../../ports/store/addresses.ts';
import type { BeatsAtOnce } from '../../ports/store/beats-at-once.ts';
import type { CapacityStore, NodeCounters } from '../../ports/store/capacity.ts';
import type { CapacitySweep, CapacitySweepStore } from '../../ports/store/capacity-sweep.ts';
import type { ChangeFeed, FeedChange, FeedPosition } from '../../ports/store/change-feed.ts';
import type {
  AbsenceBook,
  ControlStore,
  PodDeadline,
  Sighting,
  SightingKey,
} from '../../ports/store/control-store.ts';
import type { HeartbeatItem, HeartbeatStore } from '../../ports/store/heartbeats.ts';
import type { ObjectStore } from '../../ports/store/object-store.ts';
import type { OwnerEdgeStore } from '../../ports/store/owner-edges.ts';
import type { OwnerTurnStore } from '../../ports/store/owner-turns.ts';
import type { ObjectKey, Row } from '../../ports/store/rows.ts';
import type { CapacityClaim } from '../../rules/scheduling/cluster/capacity-claim.ts';
import { createAddressStore } from '../in-process/addresses.ts';
import { type CapacityTables, createCapacityStore } from '../in-process/capacity.ts';
import { createCapacitySweepStore } from '../in-process/capacity-sweep.ts';
import { createAbsenceBook, createControlStore } from '../in-process/control-store.ts';
import { createBeatsAtOnce, createHeartbeatStore } from '../in-process/heartbeat-store.ts';
import { createOwnerEdgeStore } from '../in-process/owner-edges.ts';
import { createOwnerTurnStore, type StoredTurn } from '../in-process/owner-turns.ts';
import { type ControlTables, type HeartbeatTable, pathOf } from '../in-process/tables.ts';
import { createMemoryAddresses } from './addresses.ts';
import { createMemoryObjectStore, nodeUidIn } from './object-store.ts';
import { createMemoryEdges } from './owner-edges.ts';
import type { MemoryTables } from './tables.ts';

/** The stores of one control plane, in memory. */
export interface MemoryState {
  readonly objects: ObjectStore;
  readonly heartbeats: HeartbeatStore;
  readonly beatsAtOnce: BeatsAtOnce;
  readonly control: ControlStore;
  readonly absences: AbsenceBook;
  readonly capacity: CapacityStore;
  readonly capacitySweep: CapacitySweepStore;
  readonly ownerEdges: OwnerEdgeStore;
  readonly ownerTurns: OwnerTurnStore;
  readonly addresses: AddressStore;
  readonly feed: ChangeFeed;
  /** From now on each committed change is passed to `onChange` immediately, and no longer to the feed. */
  listen(onChange: MemoryTables['onChange']): void;
}

const createSightings = (): ControlTables['sightings'] => {
  const sightings = new Map<string, Sighting>();
  const pathTo = ({ topic, name }: SightingKey): string => `${topic}/${name}`;
  return {
    get: (key) => sightings.get(pathTo(key)),
    set: (sighting) => sightings.set(pathTo(sighting), sighting),
    delete: (key) => sightings.delete(pathTo(key)),
    of: (topic, prefix) =>
      [...sightings.values()].filter((one) => one.topic === topic && one.name.startsWith(prefix)),
  };
};

const createControlTables = (counter: ControlTables['counter']): ControlTables => {
  const deadlines = new Map<string, PodDeadline>();
  return {
    pass: undefined,
    holds: undefined,
    counter,
    zones: new Map(),
    deadlines: {
      get: (path) => deadlines.get(path),
      set: (path, deadline) => deadlines.set(path, deadline),
      delete: (path) => deadlines.delete(path),
      due: (before) =>
        [...deadlines.values()]
          .filter(({ fireAt }) => fireAt <= before)
          .toSorted((a, b) => a.fireAt - b.fireAt),
    },
    sightings: createSightings(),
    together: (work) => work(),
  };
};

/** Options of the state in memory. */
export interface MemoryStateOptions {
  /** The table of the roll call; default an empty one. A simulation passes a table that computes items when they are read. */
  readonly heartbeats?: HeartbeatTable;
}

/** Claims and counters in memory. */
const createMemoryCapacity = (): CapacityTables => {
  const claims = new Map<string, Map<string, CapacityClaim>>();
  const counters = new Map<string, NodeCounters>();
  let sweep: CapacitySweep | undefined;
  return {
    claims: {
      get: (node, uid) => claims.get(node)?.get(uid),
      set: (node, claim) => claims.set(node, (claims.get(node) ?? new Map()).set(claim.uid, claim)),
      delete: (node, uid) => claims.get(node)?.delete(uid),
      of: (node) => [...(claims.get(node)?.values() ?? [])],
      after: (node, after, limit) =>
        [...(claims.get(node)?.values() ?? [])]
          .filter(({ uid }) => uid > after)
          .toSorted((a, b) => (a.uid < b.uid ? -1 : 1))
          .slice(0, limit),
    },
    counters: {
      get: (node) => counters.get(node),
      set: (node, stored) => counters.set(node, stored),
      delete: (node) => counters.delete(node),
      after: (node, limit) =>
        [...counters]
          .filter(([name]) => name > node)
          .toSorted(([a], [b]) => byText(a, b))
          .slice(0, limit)
          .map(([name, stored]) => ({ node: name, ...stored })),
    },
    sweep: {
      get: () => sweep,
      set: (next) => {
        sweep = next;
      },
    },
  };
};

/** A change feed in memory. Commits put their changes into it with `add`. */
const createMemoryFeed = (): {
  readonly feed: ChangeFeed;
  readonly add: (before: Row | undefined, after: Row) => void;
} => {
  const changes: FeedChange[] = [];
  let last: FeedPosition = 0;
  let acknowledged: FeedPosition = 0;
  /** Positions increase by one, so the index of a change follows from the position of the first one. */
  const placeBehind = (after: FeedPosition): number =>
    Math.max(0, after + 1 - (changes[0]?.position ?? last + 1));
  return {
    add: (before, after) => {
      last += 1;
      changes.push({ position: last, ...(before ? { before } : {}), after });
    },
    feed: {
      read: async (after, limit) => changes.slice(placeBehind(after), placeBehind(after) + limit),
      position: async () => acknowledged,
      acknowledge: async (position) => {
        acknowledged = Math.max(acknowledged, position);
        // This moves what is left, once for a batch. Only tests have a backlog here: simulations listen instead of reading.
        changes.splice(0, placeBehind(acknowledged));
      },
    },
  };
};

/**
 * The stored state of one control plane, in memory: writes have a total order, reads do not lag, and nothing expires. Unless
 * something reads the feed or `listen` was called, the feed grows without bound.
 */
export const createMemoryState = ({ heartbeats }: MemoryStateOptions = {}): MemoryState => {
  const { feed, add } = createMemoryFeed();
  let hear = add;
  const tables: MemoryTables = {
    resources: new Map(),
    heartbeats: heartbeats ?? new Map<string, HeartbeatItem>(),
    capacity: createMemoryCapacity(),
    edges: createMemoryEdges(),
    turns: new Map<string, StoredTurn>(),
    addresses: createMemoryAddresses(),
    tokenUses: new Map<string, number>(),
    onChange: (before, after) => hear(before, after),
  };
  const controlTables = createControlTables(() => tables.resources.get('nodes')?.counter?.counter ?? 0);
  const conditions = {
    row: (key: ObjectKey) => tables.resources.get(key.resource)?.rows.get(pathOf(key)),
    together: <T>(work: () => T): T => work(),
  };
  const rollCall = {
    heartbeats: tables.heartbeats,
    nodeUid: (node: string) => nodeUidIn(tables, node),
    row: conditions.row,
  };
  return {
    objects: createMemoryObjectStore(tables),
    heartbeats: createHeartbeatStore(rollCall),
    beatsAtOnce: createBeatsAtOnce(rollCall),
    control: createControlStore(controlTables),
    absences: createAbsenceBook(controlTables),
    capacity: createCapacityStore({ tables: tables.capacity, ...conditions }),
    capacitySweep: createCapacitySweepStore({ tables: tables.capacity, together: conditions.together }),
    ownerEdges: createOwnerEdgeStore(tables.edges),
    ownerTurns: createOwnerTurnStore({ turns: tables.turns, together: conditions.together }),
    addresses: createAddressStore({ tables: tables.addresses, ...conditions }),
    feed,
    listen: (onChange) => {
      hear = onChange;
    },
  };
};
