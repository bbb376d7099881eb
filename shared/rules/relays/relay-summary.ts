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

const nodesOf = (parts: readonly Part[], zoneOf: ZoneOf): ReadonlyMap<string, string> =>
  new Map(
    parts.flatMap(({ roster }) =>
      (roster?.entries ?? []).flatMap(({ name, uid }) => {
        const zone = zoneOf(`${name}/${uid}`);
        return zone === undefined ? [] : [[`${name}/${uid}`, zone] as const];
      }),
    ),
  );

/** Name of the zone of a Node (`name/uid`), `''` without one; `undefined`: there is no such Node. */
type ZoneOf = (node: string) => string | undefined;

/** All relays, as a pass finds them (J-322). */
export const relaySummaries = (
  parts: readonly Part[],
  { silent, cutOff }: RelayView,
  zoneOf: ZoneOf,
): readonly RelaySummary[] => {
  const [isAway, isCut] = [new Set(silent), new Set(cutOff.map(({ relay }) => relay))];
  const stateOf = (relay: string): RelayState => {
    if (isCut.has(relay)) return 'CutOff';
    return isAway.has(relay) ? 'Silent' : 'Ready';
  };
  return [...Map.groupBy(parts, ({ part }) => part.relay)].map(([relay, own]) => {
    const nodes = nodesOf(own, zoneOf);
    const zones = [...new Set(nodes.values())].filter((zone) => zone !== '').sort();
    return {
      relay,
      state: stateOf(relay),
      nodes: nodes.size,
      parts: own.reduce((most, { part }) => Math.max(most, part.part + 1), 0),
      zones: zones.slice(0, MOST_ZONES),
    };
  });
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
