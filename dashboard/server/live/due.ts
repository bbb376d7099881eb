/** What is due in the fleet and cannot be seen from its cells and zones: pods that leave, and drains. */
import type { DueEviction, HeldPod, LiveDue } from '../../wire/live.ts';
import type { EvictingNode, EvictingNodes } from './evicting-nodes.ts';
import type { Entry, FleetState } from './fleet-state.ts';
import type { Forecasts } from './forecasts.ts';

/** Pods and drains that are sent; the others are counted. */
const MOST_EVICTIONS = 100;
const MOST_DRAINS = 50;
const MOST_HELD = 20;

const evictionsOf = (
  nodes: readonly EvictingNode[],
  entries: ReadonlyMap<string, Entry>,
): readonly DueEviction[] =>
  nodes.flatMap(({ name: node, evictions = [] }) => {
    const zone = entries.get(node)?.line.zone ?? '';
    return evictions.map((one) => ({ ...one, node, zone }));
  });

/** A node that answers ends its pods. */
const heldOf = (nodes: readonly EvictingNode[], entries: ReadonlyMap<string, Entry>): readonly HeldPod[] =>
  nodes.flatMap(({ name: node, held }) => {
    const ready = entries.get(node)?.line.ready;
    return ready === 'Unknown' || ready === 'False' ? held.map((pod) => ({ node, pod })) : [];
  });

/** Makes it. */
export const liveDue = (state: FleetState, nodes: EvictingNodes, forecasts: Forecasts): LiveDue => {
  const [kept, entries] = [nodes.kept(), state.entries()];
  const evictions = evictionsOf(kept, entries);
  const drains = state.draining();
  const held = heldOf(kept, entries);
  return {
    evictions: evictions.toSorted((a, b) => a.fireAt - b.fireAt).slice(0, MOST_EVICTIONS),
    evictionCount: evictions.length,
    drains: drains.slice(0, MOST_DRAINS),
    drainCount: drains.length,
    held: held.slice(0, MOST_HELD),
    heldCount: held.length,
    unknowns: forecasts.all(),
  };
};
