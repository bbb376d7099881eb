import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { ControlStore, ZoneRecord } from '../../../shared/ports/store/control-store.ts';
import type { Eventual } from '../../../shared/ports/store/eventual.ts';
import type { HeartbeatItem, HeartbeatStore } from '../../../shared/ports/store/heartbeats.ts';
import type { ObjectStore } from '../../../shared/ports/store/object-store.ts';
import type { NodeHealthRow } from '../../../shared/rules/nodes/node-health.ts';
import { partsIn } from '../../../shared/store/beats/relayed-items.ts';
import { createFleetItems, type FleetItems } from './fleet-items.ts';
import { createFleetPlaces, type FleetPlaces, type PlacedPart } from './fleet-places.ts';
import { type HeardFleet, heardFleet } from './heard-fleet.ts';
import type { Pause } from './slices.ts';

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
  readonly items?: FleetItems;
}

/** All rows of a read. A single page is returned without a copy. */
const rowsOf = async <T>(pages: AsyncIterable<Eventual<readonly T[]>>): Promise<readonly T[]> => {
  const read: (readonly T[])[] = [];
  for await (const { value } of pages) read.push(value);
  const [only] = read;
  return only && read.length === 1 ? only : read.flat();
};

/** Reads all nodes, heartbeats and zones, eventually consistent. Read a node consistently before you write a decision about it. */
export const readFleet = async (deps: ReadFleetDeps, now: EpochMs): Promise<Fleet> => {
  const { pause, places = createFleetPlaces(), items: entries = createFleetItems() } = deps;
  const [nodes, all, zones] = await Promise.all([
    rowsOf(deps.objects.nodeHealth()),
    rowsOf(deps.heartbeats.scan()),
    deps.control.zones(),
  ]);
  const items = await entries.of(nodes, all, pause);
  await pause?.();
  const parts = partsIn(all);
  const relays = parts.length === 0 ? [] : await places.of(nodes, parts, pause);
  return { nodes, items, heard: await heardFleet({ nodes, items }, relays, now, pause), relays, zones };
};
