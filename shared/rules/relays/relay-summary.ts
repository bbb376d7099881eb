/** What a pass finds of each relay: what `kubectl get relays` shows beside the age of the last batch. */
import type { EpochMs } from '../../kube/values/time.ts';
import { isSilent, type PartitionConfig, type RelayView } from './partition.ts';
import type { RelayPart, RelayRecord } from './relay-items.ts';

/** `Silent`: it sends no batches. `CutOff`: neither it nor any of its nodes is heard. */
export type RelayState = 'Ready' | 'Silent' | 'CutOff';

/** One relay by the newest pass. */
export interface RelaySummary {
  readonly relay: string;
  readonly state: RelayState;
  /** One more than the highest number of a part. */
  readonly parts: number;
  /** How many Nodes are on its roster. */
  readonly nodes: number;
  /** Names of their zones, the first few. */
  readonly zones: readonly string[];
}

/** Most zones of a site that are named. */
const MOST_ZONES = 4;

type Part = Pick<RelayRecord, 'roster'> & { readonly part: RelayPart };

/** Whose nodes are on the rosters of a pass. */
interface RosterNodes<P extends Part> {
  /** The number of the Node at this place of a part's roster; below 0: there is no such Node. */
  nodeOf(part: P, place: number): number;
  /** Name of the zone of this Node, `''` without one. */
  zoneOf(node: number): string;
}

const nodesOn = <P extends Part>(parts: readonly P[], { nodeOf }: RosterNodes<P>): ReadonlySet<number> => {
  const nodes = new Set<number>();
  for (const part of parts) {
    const size = part.roster?.entries.length ?? 0;
    for (let place = 0; place < size; place += 1) {
      const node = nodeOf(part, place);
      if (node >= 0) nodes.add(node);
    }
  }
  return nodes;
};

const zonesOf = (nodes: ReadonlySet<number>, zoneOf: (node: number) => string): readonly string[] => {
  const zones = new Set<string>();
  for (const node of nodes) zones.add(zoneOf(node));
  zones.delete('');
  return [...zones].sort();
};

/** The state of each relay. */
export const relayStates = ({ silent, cutOff }: RelayView): ((relay: string) => RelayState) => {
  const [isAway, isCut] = [new Set(silent), new Set(cutOff.map(({ relay }) => relay))];
  return (relay) => {
    if (isCut.has(relay)) return 'CutOff';
    return isAway.has(relay) ? 'Silent' : 'Ready';
  };
};

/** A relay with these parts, as a pass finds it (J-322). */
export const relaySummary = <P extends Part>(
  relay: string,
  parts: readonly P[],
  state: RelayState,
  on: RosterNodes<P>,
): RelaySummary => {
  const nodes = nodesOn(parts, on);
  return {
    relay,
    state,
    nodes: nodes.size,
    parts: parts.reduce((most, { part }) => Math.max(most, part.part + 1), 0),
    zones: zonesOf(nodes, on.zoneOf).slice(0, MOST_ZONES),
  };
};

/** The state at `now` of a relay that a pass has found so, by its last batch: a batch may have come since, or none for too long (J-322). */
export const stateNow = (
  found: RelayState,
  lastBatchAt: EpochMs,
  now: EpochMs,
  config: PartitionConfig,
): RelayState => {
  if (!isSilent(lastBatchAt, now, config)) return 'Ready';
  return found === 'Ready' ? 'Silent' : found;
};
