/** Which of the stored heartbeat items are those of the nodes of a pass. */
import { NODE_LEASE_NAMESPACE } from '../../../shared/kube/types/well-known.ts';
import type { HeartbeatItem } from '../../../shared/ports/store/heartbeats.ts';
import type { NodeHealthRow } from '../../../shared/rules/nodes/node-health.ts';
import { mapInSlices, type Pause } from './slices.ts';

/** Items of others that are passed over in search of a node's. */
const MOST_BETWEEN = 8;
/** The place of an item that was not found. */
const NOWHERE = -1;

/**
 * The items of nodes. A host keeps from pass to pass where each was: stores return rows and items each in an order that hardly changes, though
 * rarely in the same one, and a map by the names of all nodes takes an eighth of a pass.
 */
export interface FleetItems {
  /** The item of each of `nodes`, in the same order; `undefined`: there is none among `items`. */
  of(
    nodes: readonly NodeHealthRow[],
    items: readonly HeartbeatItem[],
    pause: Pause | undefined,
  ): Promise<readonly (HeartbeatItem | undefined)[]>;
}

const isEntryOf = (item: HeartbeatItem | undefined, name: string): boolean =>
  item?.name === name && item.uid !== undefined && item.namespace === NODE_LEASE_NAMESPACE;

/** Finds a node's item where it was in the last pass, or soon behind that of the node before. */
const createSearch = (items: readonly HeartbeatItem[], known: Int32Array) => {
  let next = 0;
  return ({ name }: NodeHealthRow, index: number): number => {
    let place = known[index] ?? NOWHERE;
    for (let tries = 0; !isEntryOf(items[place], name); tries += 1) {
      if (tries === MOST_BETWEEN) return NOWHERE;
      place = next + tries;
    }
    next = place + 1;
    return place;
  };
};

/** Finds by their names the items of nodes that have no place yet. */
const findMissing = async (
  nodes: readonly NodeHealthRow[],
  items: readonly HeartbeatItem[],
  places: Int32Array,
  pause: Pause | undefined,
): Promise<void> => {
  const missing = new Map<string, number>();
  const note = ({ name }: NodeHealthRow, index: number): void => {
    if (places[index] === NOWHERE) missing.set(name, index);
  };
  await mapInSlices(nodes, note, pause);
  const find = (item: HeartbeatItem, place: number): void => {
    const index = isEntryOf(item, item.name) ? missing.get(item.name) : undefined;
    if (index !== undefined) places[index] = place;
  };
  await mapInSlices(items, find, pause);
};

/** Places that no pass has looked up yet. Passes may use them at the same time. */
export const createFleetItems = (): FleetItems => {
  let kept = new Int32Array(0);
  return {
    of: async (nodes, items, pause) => {
      const search = createSearch(items, kept);
      const places = Int32Array.from(await mapInSlices(nodes, search, pause));
      if (places.includes(NOWHERE)) await findMissing(nodes, items, places, pause);
      kept = places;
      return mapInSlices(nodes, (_node, index) => items[places[index] ?? NOWHERE], pause);
    },
  };
};
