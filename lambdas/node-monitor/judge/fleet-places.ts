/**
 * Which nodes of a pass the entries of rosters are. A node is a number then, its place in the pass: maps by the names of all nodes would take
 * longer than the rest of a pass, and in one turn of the event loop.
 */
import type { NodeHealthRow } from '../../../shared/rules/nodes/node-health.ts';
import type { RelayRoster } from '../../../shared/rules/relays/relay-items.ts';
import type { StoredPart } from '../../../shared/store/beats/relayed-items.ts';
import { mapInSlices, type Pause } from './slices.ts';

/** The place of an entry whose Node is not in the pass. */
const NOWHERE = -1;

/** A part of a relay, with the place of each entry of its roster among the nodes of the pass; below 0: there is no such Node. */
export interface PlacedPart extends StoredPart {
  readonly places: Int32Array;
}

/** The nodes of a pass, in their order. */
interface Layout {
  readonly nodes: readonly NodeHealthRow[];
  readonly byUid: ReadonlyMap<string, number>;
  /** By the roster itself: stores replace rosters and never change them. */
  readonly rosters: WeakMap<RelayRoster, Int32Array>;
}

/**
 * The places of rosters. A host keeps them from pass to pass: names are looked up only if a roster is new, or if another Node is at some place
 * than in the last pass.
 */
export interface FleetPlaces {
  /** The parts with the places of their entries among `nodes`. */
  of(
    nodes: readonly NodeHealthRow[],
    parts: readonly StoredPart[],
    pause: Pause | undefined,
  ): Promise<readonly PlacedPart[]>;
}

const isLaidOut = ({ nodes: before }: Layout, nodes: readonly NodeHealthRow[]): boolean =>
  before.length === nodes.length &&
  nodes.every((node, place) => {
    const known = before[place];
    return node === known || (node.uid === known?.uid && node.name === known.name);
  });

const layoutOf = async (nodes: readonly NodeHealthRow[], pause: Pause | undefined): Promise<Layout> => {
  const byUid = new Map<string, number>();
  await mapInSlices(nodes, ({ uid }, place) => byUid.set(uid, place), pause);
  return { nodes, byUid, rosters: new WeakMap() };
};

const findPlaces = ({ nodes, byUid }: Layout, { entries }: RelayRoster): Int32Array =>
  Int32Array.from(entries, ({ name, uid }) => {
    const place = byUid.get(uid) ?? NOWHERE;
    return nodes[place]?.name === name ? place : NOWHERE;
  });

const NO_PLACES = new Int32Array(0);

const placesIn = (layout: Layout, roster: RelayRoster | undefined): Int32Array => {
  if (!roster) return NO_PLACES;
  const known = layout.rosters.get(roster);
  if (known) return known;
  const places = findPlaces(layout, roster);
  layout.rosters.set(roster, places);
  return places;
};

/** Places that nobody has looked up yet. Passes may use them at the same time: each has a layout of its own. */
export const createFleetPlaces = (): FleetPlaces => {
  let kept: Layout | undefined;
  return {
    of: async (nodes, parts, pause) => {
      // With the new rows, so that the former ones are forgotten.
      const layout = kept && isLaidOut(kept, nodes) ? { ...kept, nodes } : await layoutOf(nodes, pause);
      kept = layout;
      return mapInSlices(parts, (part) => ({ ...part, places: placesIn(layout, part.roster) }), pause);
    },
  };
};
