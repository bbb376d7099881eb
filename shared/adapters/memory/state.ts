import type { AddressStore } from '../../ports/store/addresses.ts';
import type { BeatsAtOnce } from '../../ports/store/beats-at-once.ts';
import type { CapacityStore } from '../../ports/store/capacity.ts';
import type { CapacitySweepStore } from '../../ports/store/capacity-sweep.ts';
import type { ChangeFeed } from '../../ports/store/change-feed.ts';
import type { ControlStore, PodDeadline, Sighting, SightingKey } from '../../ports/store/control-store.ts';
import type { HeartbeatItem, HeartbeatStore } from '../../ports/store/heartbeats.ts';
import type { ObjectStore } from '../../ports/store/object-store.ts';
import type { OwnerEdgeStore } from '../../ports/store/owner-edges.ts';
import type { OwnerTurnStore } from '../../ports/store/owner-turns.ts';
import type { ObjectKey } from '../../ports/store/rows.ts';
import { createAddressStore } from '../in-process/addresses.ts';
import { createCapacityStore } from '../in-process/capacity.ts';
import { createCapacitySweepStore } from '../in-process/capacity-sweep.ts';
import { createControlStore } from '../in-process/control-store.ts';
import { createBeatsAtOnce, createHeartbeatStore } from '../in-process/heartbeat-store.ts';
import { createOwnerEdgeStore } from '../in-process/owner-edges.ts';
import { createOwnerTurnStore, type StoredTurn } from '../in-process/owner-turns.ts';
import type { ControlTables, HeartbeatTable } from '../in-process/tables.ts';
import { pathOf } from '../in-process/tables.ts';
import { createMemoryAddresses } from './addresses.ts';
import { createMemoryCapacity } from './capacity.ts';
import { createMemoryFeed } from './change-feed.ts';
import { createMemoryObjectStore, nodeUidIn } from './object-store.ts';
import { createMemoryEdges } from './owner-edges.ts';
import type { MemoryTables } from './tables.ts';

/** The stores of one control plane, in memory. */
export interface MemoryState {
  readonly objects: ObjectStore;
  readonly heartbeats: HeartbeatStore;
  readonly beatsAtOnce: BeatsAtOnce;
  readonly control: ControlStore;
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

const createControlTables = (): ControlTables => {
  const deadlines = new Map<string, PodDeadline>();
  return {
    pass: undefined,
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
    onChange: (before, after) => hear(before, after),
  };
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
    control: createControlStore(createControlTables()),
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
