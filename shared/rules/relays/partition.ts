/** Sites that have lost their uplink: their relay is silent, and so are all its nodes. */
import type { EpochMs } from '../../kube/values/time.ts';
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

const rosterOf = (parts: readonly Part[]): readonly string[] =>
  parts.flatMap(({ roster }) => (roster?.entries ?? []).map(({ name, uid }) => `${name}/${uid}`));

const livingIn = (
  { roster, beats }: Part,
  { nodeMonitorGracePeriodMs }: PartitionConfig,
): readonly string[] =>
  (roster?.entries ?? []).flatMap(({ name, uid, since }, place) => {
    const age = beats && since <= beats.roster ? beats.ages[place] : undefined;
    return age && age.ageMs <= nodeMonitorGracePeriodMs ? [`${name}/${uid}`] : [];
  });

/** When a Node (`name/uid`) was last heard in any way; `undefined`: there is no such Node. */
type HeardAt = (node: string) => EpochMs | undefined;

/**
 * The site of a relay that has been silent since its last batch: at least two nodes lived then, and none of the roster was heard after it,
 * straight or through another relay.
 */
const siteBehind = (
  relay: string,
  parts: readonly Part[],
  heardAt: HeardAt,
  config: PartitionConfig,
): CutOffSite | undefined => {
  const lastBatchAt = lastBatchOf(parts, 0);
  const living = parts.flatMap((part) => livingIn(part, config));
  const isHeard = rosterOf(parts).some((node) => (heardAt(node) ?? 0) > lastBatchAt);
  const nodes = new Set(living.filter((node) => heardAt(node) !== undefined));
  return isHeard || living.length < LEAST_NODES || nodes.size === 0
    ? undefined
    : { relay, lastBatchAt, nodes };
};

/**
 * Which relays are silent, and which of their sites are cut off. Silence before `clockFloor` is no reason to say so, and no reason to
 * forget it: nobody could have heard that the site is back.
 */
export const relayView = (
  parts: readonly Part[],
  heardAt: HeardAt,
  clockFloor: EpochMs,
  now: EpochMs,
  config: PartitionConfig,
): RelayView => {
  const relays = [...Map.groupBy(parts, ({ part }) => part.relay)];
  const silentSince = (floor: EpochMs) =>
    relays.filter(([, own]) => isSilent(lastBatchOf(own, floor), now, config));
  const silent = new Set(silentSince(clockFloor).map(([relay]) => relay));
  const sites = silentSince(0).flatMap(([relay, own]) => siteBehind(relay, own, heardAt, config) ?? []);
  return {
    silent: [...silent],
    cutOff: sites.filter(({ relay }) => silent.has(relay)),
    unsure: sites.filter(({ relay }) => !silent.has(relay)),
  };
};
