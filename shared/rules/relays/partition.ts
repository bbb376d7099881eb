/** Sites that have lost their uplink: their relay is silent, and so are all its nodes. */
import type { EpochMs } from '../../kube/values/time.ts';
import { ageIn, NOT_HEARD, storedAge } from './packed-ages.ts';
import type { RelayPart, RelayRecord } from './relay-items.ts';

/** A site whose nodes are cut off rather than dead, as far as anybody can know. */
export interface CutOffSite {
  readonly relay: string;
  /** When its last batch was received. */
  readonly lastBatchAt: EpochMs;
  /** `name/uid` of the Nodes that lived when it was sent, and still exist. */
  readonly nodes: ReadonlySet<string>;
}

/** What is known of all relays in one pass. */
export interface RelayView {
  readonly silent: readonly string[];
  readonly cutOff: readonly CutOffSite[];
  /** Sites that would be cut off if anybody could have heard them since their last batches. */
  readonly unsure: readonly CutOffSite[];
}

/** The sites whose nodes are not to be taken for dead. */
export const sitesToHold = ({
  cutOff,
  unsure,
}: Pick<RelayView, 'cutOff' | 'unsure'>): readonly CutOffSite[] => [...cutOff, ...unsure];

type Part = RelayRecord & { readonly part: RelayPart };

/** The settings by which sites are judged. */
export interface PartitionConfig {
  readonly nodeMonitorGracePeriodMs: number;
}

/** A site with one node is no site: if it is silent together with its relay, the machine is the likely cause. */
const LEAST_NODES = 2;

/** Whether a relay whose last batch was received at `lastBatchAt` is silent: it sends four batches in a grace period. */
export const isSilent = (
  lastBatchAt: EpochMs,
  now: EpochMs,
  { nodeMonitorGracePeriodMs }: PartitionConfig,
): boolean => now - lastBatchAt > nodeMonitorGracePeriodMs / 2;

const lastBatchOf = (parts: readonly Part[], clockFloor: EpochMs): EpochMs =>
  Math.max(clockFloor, ...parts.map(({ beats }) => beats?.receivedAt ?? 0));

/** From when (ms) a relay with these parts is silent if no more batch comes. */
export const relaySilentAt = (
  parts: readonly Part[],
  { nodeMonitorGracePeriodMs }: PartitionConfig,
): EpochMs => lastBatchOf(parts, 0) + nodeMonitorGracePeriodMs / 2;

/** The entries of a roster (by place) that lived at the last batch. */
const livingIn = (
  { roster, beats }: Part,
  { nodeMonitorGracePeriodMs }: PartitionConfig,
): readonly number[] =>
  (roster?.entries ?? []).flatMap(({ since }, place) => {
    const age = storedAge(beats, place, since);
    return age !== NOT_HEARD && ageIn(age) <= nodeMonitorGracePeriodMs ? [place] : [];
  });

/** When the Node at this place of a part's roster was last heard in any way; `undefined`: there is no such Node. */
type HeardAt<P extends Part> = (part: P, place: number) => EpochMs | undefined;

/** The parts of each relay. */
export const partsByRelay = <P extends { readonly part: RelayPart }>(
  parts: readonly P[],
): readonly (readonly [relay: string, parts: readonly P[]])[] => [
  ...Map.groupBy(parts, ({ part }) => part.relay),
];

/** The names (`name/uid`) of the nodes that lived at the last batch and still exist, and how many lived. */
const livingOf = <P extends Part>(parts: readonly P[], heardAt: HeardAt<P>, config: PartitionConfig) => {
  const nodes = new Set<string>();
  let count = 0;
  for (const part of parts)
    for (const place of livingIn(part, config)) {
      count += 1;
      const entry = part.roster?.entries[place];
      if (entry && heardAt(part, place) !== undefined) nodes.add(`${entry.name}/${entry.uid}`);
    }
  return { nodes, count };
};

/**
 * The site of a relay (`parts`) that has been silent since its last batch: at least two nodes lived then, and none of the roster was heard after
 * it, straight or through another relay.
 */
export const siteBehind = <P extends Part>(
  relay: string,
  parts: readonly P[],
  heardAt: HeardAt<P>,
  now: EpochMs,
  config: PartitionConfig,
): CutOffSite | undefined => {
  const lastBatchAt = lastBatchOf(parts, 0);
  if (!isSilent(lastBatchAt, now, config)) return undefined;
  const isHeard = parts.some((part) =>
    part.roster?.entries.some((_, place) => (heardAt(part, place) ?? 0) > lastBatchAt),
  );
  if (isHeard) return undefined;
  const { nodes, count } = livingOf(parts, heardAt, config);
  return count < LEAST_NODES || nodes.size === 0 ? undefined : { relay, lastBatchAt, nodes };
};

/**
 * Which relays are silent, and which of their sites (see `siteBehind`) are cut off. Silence before `clockFloor` is no reason to say so, and no reason
 * to forget it: nobody could have heard that the site is back.
 */
export const relayView = (
  relays: ReturnType<typeof partsByRelay<Part>>,
  sites: readonly CutOffSite[],
  clockFloor: EpochMs,
  now: EpochMs,
  config: PartitionConfig,
): RelayView => {
  const silent = new Set(
    relays.filter(([, own]) => isSilent(lastBatchOf(own, clockFloor), now, config)).map(([relay]) => relay),
  );
  return {
    silent: [...silent],
    cutOff: sites.filter(({ relay }) => silent.has(relay)),
    unsure: sites.filter(({ relay }) => !silent.has(relay)),
  };
};
