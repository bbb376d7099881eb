import { NODE_LEASE_NAMESPACE } from '../../../shared/kube/types/well-known.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { ControlStore, ZoneRecord } from '../../../shared/ports/store/control-store.ts';
import type { Eventual } from '../../../shared/ports/store/eventual.ts';
import type { HeartbeatItem, HeartbeatStore } from '../../../shared/ports/store/heartbeats.ts';
import type { ObjectStore } from '../../../shared/ports/store/object-store.ts';
import type { NodeHealthRow } from '../../../shared/rules/nodes/node-health.ts';
import { partsIn } from '../../../shared/store/beats/relayed-items.ts';
import { createFleetPlaces, type FleetPlaces, type PlacedPart } from './fleet-places.ts';
import { type HeardFleet, heardFleet } from './heard-fleet.ts';
import { mapInSlices, type Pause } from './slices.ts';

/** All that one pass reads before it decides. */
export interface Fleet {
  readonly nodes: readonly NodeHealthRow[];
  /** The heartbeat item of each of `nodes`, in the same order; `undefined` if the scan found none. */
  readonly items: readonly (HeartbeatItem | undefined)[];
  /** Their beats, with those that came through relays. */
  readonly heard: HeardFleet;
  /** The parts of all relays. */
  readonly relays: readonly PlacedPart[];
  readonly zones: readonly ZoneRecord[];
}

export interface ReadFleetDeps {
  readonly objects: Pick<ObjectStore, 'nodeHealth'>;
  readonly heartbeats: Pick<HeartbeatStore, 'scan'>;
  readonly control: Pick<ControlStore, 'zones'>;
  readonly pause?: Pause;
  /** Absent: they are looked up anew in each pass. */
  readonly places?: FleetPlaces;
}

/** Items of others that are passed over in search of a node's. */
const MOST_BETWEEN = 8;

/** All rows of a read. A single page is returned without a copy. */
const rowsOf = async <T>(pages: AsyncIterable<Eventual<readonly T[]>>): Promise<readonly T[]> => {
  const read: (readonly T[])[] = [];
  for await (const { value } of pages) read.push(value);
  const [only] = read;
  return only && read.length === 1 ? only : read.flat();
};

const isEntryOf = (item: HeartbeatItem | undefined, name: string): boolean =>
  item?.name === name && item.uid !== undefined && item.namespace === NODE_LEASE_NAMESPACE;

const entriesByName = async (
  items: readonly HeartbeatItem[],
  pause: Pause | undefined,
): Promise<ReadonlyMap<string, HeartbeatItem>> => {
  const entries = new Map<string, HeartbeatItem>();
  const add = (item: HeartbeatItem): void => {
    if (isEntryOf(item, item.name)) entries.set(item.name, item);
  };
  await mapInSlices(items, add, pause);
  return entries;
};

/**
 * The item of each node. Stores mostly return both reads in the same order, with other items in between; a map is made only if an item is
 * not found in that order.
 */
const itemsOf = async (
  nodes: readonly NodeHealthRow[],
  items: readonly HeartbeatItem[],
  pause: Pause | undefined,
): Promise<Fleet['items']> => {
  let place = 0;
  const inOrder = ({ name }: NodeHealthRow): HeartbeatItem | undefined => {
    for (let tries = 0; tries < MOST_BETWEEN; tries += 1)
      if (isEntryOf(items[place + tries], name)) {
        place += tries + 1;
        return items[place - 1];
      }
    return undefined;
  };
  const found = await mapInSlices(nodes, inOrder, pause);
  if (found.every((item) => item !== undefined)) return found;
  const byName = await entriesByName(items, pause);
  return mapInSlices(nodes, ({ name }, index) => found[index] ?? byName.get(name), pause);
};

/** Reads all nodes, heartbeats and zones, eventually consistent. Read a node consistently before you write a decision about it. */
export const readFleet = async (deps: ReadFleetDeps, now: EpochMs): Promise<Fleet> => {
  const { pause, places = createFleetPlaces() } = deps;
  const [nodes, all, zones] = await Promise.all([
    rowsOf(deps.objects.nodeHealth()),
    rowsOf(deps.heartbeats.scan()),
    deps.control.zones(),
  ]);
  const items = await itemsOf(nodes, all, pause);
  await pause?.();
  const parts = partsIn(all);
  const relays = parts.length === 0 ? [] : await places.of(nodes, parts, pause);
  return { nodes, items, heard: await heardFleet({ nodes, items }, relays, now, pause), relays, zones };
};
