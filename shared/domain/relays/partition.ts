/** Sites that have lost their uplink: their relay is silent, and so are all its nodes. */
import type { EpochMs } from '../../api/time.ts';
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
}

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

/**
 * Which relays are silent, and which of their sites are cut off: at least two nodes lived at the last batch, and none of the roster was heard
 * after it, straight or through another relay. `heardAt`: when a Node (`name/uid`) was last heard in any way; `undefined`: there is no such Node.
 */
export const relayView = (
  parts: readonly Part[],
  heardAt: (node: string) => EpochMs | undefined,
  clockFloor: EpochMs,
  now: EpochMs,
  config: PartitionConfig,
): RelayView => {
  const relays = [...Map.groupBy(parts, ({ part }) => part.relay)];
  const silent = relays.filter(([, own]) => isSilent(lastBatchOf(own, clockFloor), now, config));
  const cutOff = silent.flatMap(([relay, own]): readonly CutOffSite[] => {
    const lastBatchAt = lastBatchOf(own, 0);
    const living = own.flatMap((part) => livingIn(part, config));
    const isHeard = rosterOf(own).some((node) => (heardAt(node) ?? 0) > lastBatchAt);
    const nodes = new Set(living.filter((node) => heardAt(node) !== undefined));
    return isHeard || living.length < LEAST_NODES || nodes.size === 0 ? [] : [{ relay, lastBatchAt, nodes }];
  });
  return { silent: silent.map(([relay]) => relay), cutOff };
};
