import type { ConditionStatus } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { NodeLifecycleConfig } from '../../settings/node-lifecycle.ts';
import type { Absence } from '../absences/absence.ts';
import { beatIntervalMs } from '../absences/comeback.ts';
import { type Hearing, silenceEndsAt } from '../absences/silence.ts';
import {
  adaptiveGraceMs,
  type GraceRange,
  type Patience,
  rangeFor,
  watchedFrom,
} from '../patience/adaptive-grace.ts';
import { floorAt, isAhead } from '../zones/future-instants.ts';
import type { Loss } from './flapping.ts';
import type { NoExecuteTaint } from './taints.ts';

/** The fields of one node that the monitor reads. None of them changes with a heartbeat. */
export interface NodeHealthRow {
  readonly name: string;
  readonly uid: string;
  /** Zone key, as `zoneKeyOf` returns it. */
  readonly zone: string;
  /** Status of the Ready condition; absent until it is first written. */
  readonly ready?: ConditionStatus;
  /** When `ready` last changed (ms, our clock). */
  readonly readyTransitionAt?: EpochMs;
  /** When the Node was created (ms, our clock). */
  readonly createdAt: EpochMs;
  /** Whether the node has the label that excludes it from the zone statistics. */
  readonly excludeDisruption: boolean;
  /** Whether some client has ever written the node's Ready condition. */
  readonly clientReady: boolean;
  readonly noExecute: readonly NoExecuteTaint[];
  /** When Ready stopped being True, the newest last; absent without a loss, and in an index that does not have it. */
  readonly losses?: readonly Loss[];
}

/** Receive times (ms, our clock) of a node's heartbeats, one per source. They never come from a client's clock. */
export interface Heartbeats {
  /** The newest beat of any source. */
  readonly observedAt?: EpochMs | undefined;
  readonly leaseAt?: EpochMs | undefined;
  readonly statusAt?: EpochMs | undefined;
  readonly plainAt?: EpochMs | undefined;
  readonly relayAt?: EpochMs | undefined;
  /** The latest beat that a pass took back because it was ahead of the pass's clock. It excuses silence, and is no beat. */
  readonly aheadAt?: EpochMs | undefined;
  readonly hasLease: boolean;
  /** For how long its Lease is valid, seconds: a kubelet and the agent renew it four times in it. */
  readonly leaseSeconds?: number | undefined;
  /** The longest silence that the Node has survived, as it is stored. */
  readonly patience?: Patience | undefined;
}

/** What a pass changes in a node's Ready condition. */
export type NodeHealthDecision =
  | { readonly action: 'none' }
  | { readonly action: 'markUnknown'; readonly silentForMs: number }
  | { readonly action: 'markReady' };

/** The settings by which a node is silent. */
export interface GraceConfig
  extends Pick<NodeLifecycleConfig, 'nodeMonitorGracePeriodMs' | 'nodeStartupGracePeriodMs'> {
  /** Absent: the grace period does not adapt. */
  readonly adaptiveGrace?: GraceRange;
}

/** Whether only the control plane writes the node's Ready: the node has no Lease and no client ever posted a status. */
export const isDirect = (row: Pick<NodeHealthRow, 'clientReady'>, beats: Heartbeats | undefined): boolean =>
  !row.clientReady && beats?.hasLease !== true;

const NONE: NodeHealthDecision = { action: 'none' };

const later = (a: EpochMs | undefined, b: EpochMs | undefined): EpochMs | undefined =>
  a === undefined || (b !== undefined && b > a) ? b : a;

/** The newest beat that counts (ms). A plain beat counts for direct nodes only: an agent beside a hung kubelet must not hide it. */
export const lastBeat = (row: NodeHealthRow, beats: Heartbeats | undefined): EpochMs | undefined => {
  if (!beats) return undefined;
  const reported = later(later(beats.leaseAt, beats.statusAt), beats.relayAt);
  return isDirect(row, beats) ? later(reported, beats.plainAt) : reported;
};

/**
 * When the node was last known alive (ms, our clock): the latest of its newest beat that counts, its creation, and the instants
 * before which silence is not counted (`clockFloor`, `aheadAt`). A creation or `aheadAt` that is ahead of `now` does not count, but
 * without a beat the creation is all that is known.
 * Source: kubernetes v1.34 nodelifecycle `nodeHealthData.probeTimestamp`.
 */
export const lastSignOfLife = (
  row: NodeHealthRow,
  beats: Heartbeats | undefined,
  { clockFloor }: Pick<Hearing, 'clockFloor'>,
  now: EpochMs,
): EpochMs => {
  const beatAt = lastBeat(row, beats) ?? row.createdAt;
  const createdAt = isAhead(row.createdAt, now) ? beatAt : row.createdAt;
  const takenBack = isAhead(beats?.aheadAt, now) ? beatAt : (beats?.aheadAt ?? beatAt);
  return Math.max(createdAt, clockFloor, takenBack, beatAt);
};

/** The part of a Lease's duration after which a kubelet renews it. Source: kubernetes v1.34 `nodeLeaseRenewIntervalFraction`. */
const RENEW_SHARE = 0.25;

/** Milliseconds between two beats of a node. A node may say that it beats less often than others, never that it beats more often. */
export const intervalOf = (
  beats: Heartbeats | undefined,
  { intervalMs }: Pick<Hearing, 'intervalMs'>,
): number => Math.max(intervalMs, (beats?.leaseSeconds ?? 0) * 1000 * RENEW_SHARE);

/** Between which lengths the grace period of a node adapts; `undefined`: it does not. */
export const graceRangeOf = (
  beats: Heartbeats | undefined,
  hearing: Pick<Hearing, 'intervalMs'>,
  { adaptiveGrace: range }: GraceConfig,
): GraceRange | undefined => range && rangeFor(range, intervalOf(beats, hearing));

/** The grace period (ms) of a node that was last heard at `aliveAt`, once its Ready is set. */
const graceAfter = (
  row: NodeHealthRow,
  beats: Heartbeats | undefined,
  hearing: Pick<Hearing, 'intervalMs'>,
  aliveAt: EpochMs,
  config: GraceConfig,
): number => {
  const fixedMs = config.nodeMonitorGracePeriodMs;
  const range = graceRangeOf(beats, hearing, config);
  return range ? adaptiveGraceMs(range, fixedMs, beats?.patience, row, aliveAt) : fixedMs;
};

const isHeardFrom = (
  row: NodeHealthRow,
  beats: Heartbeats | undefined,
  hearing: Pick<Hearing, 'intervalMs'>,
  now: EpochMs,
  config: GraceConfig,
): boolean => {
  const beatAt = lastBeat(row, beats);
  return beatAt !== undefined && now - beatAt <= graceAfter(row, beats, hearing, beatAt, config);
};

/**
 * What limits how silence counts, at `now` (ms): by the record of the last pass, if there was one, and the settings for nodes without
 * a policy.
 */
export const hearingAt = (
  pass:
    | {
        readonly clockFloor: EpochMs;
        readonly aheadFloor?: EpochMs;
        readonly absences?: readonly Absence[];
      }
    | undefined,
  now: EpochMs,
  config: Pick<NodeLifecycleConfig, 'nodeMonitorGracePeriodMs' | 'heartbeatIntervalMs'>,
): Hearing => ({
  clockFloor: pass ? floorAt(pass, now) : 0,
  absences: pass?.absences ?? [],
  intervalMs: beatIntervalMs(config),
});

/** The grace period (ms) by which a pass judges the silence of a node. */
export const graceOf = (
  row: NodeHealthRow,
  beats: Heartbeats | undefined,
  hearing: Pick<Hearing, 'clockFloor' | 'intervalMs'>,
  now: EpochMs,
  config: GraceConfig,
): number => {
  if (row.ready === undefined) return config.nodeStartupGracePeriodMs;
  if (!config.adaptiveGrace) return config.nodeMonitorGracePeriodMs;
  return graceAfter(row, beats, hearing, lastSignOfLife(row, beats, hearing, now), config);
};

/** From when (ms) passes have to watch a node whose grace period adapts: see the rule of this name; `undefined`: it does not adapt. */
export const watchFrom = (
  row: NodeHealthRow,
  beats: Heartbeats | undefined,
  hearing: Pick<Hearing, 'clockFloor' | 'intervalMs'>,
  now: EpochMs,
  config: GraceConfig,
): EpochMs | undefined => {
  const range = graceRangeOf(beats, hearing, config);
  return range && watchedFrom(range, beats?.patience, lastSignOfLife(row, beats, hearing, now));
};

/** Until when (ms, our clock) the silence of a node is within its grace period, if nothing more is heard of it. */
export const patienceEndsAt = (
  row: NodeHealthRow,
  beats: Heartbeats | undefined,
  hearing: Hearing,
  now: EpochMs,
  config: GraceConfig,
): EpochMs => {
  const graceMs = graceOf(row, beats, hearing, now, config);
  // A node that has never beaten has no known interval: it has its whole startup grace period.
  const isNew = row.ready === undefined && lastBeat(row, beats) === undefined;
  const intervalMs = isNew ? graceMs : intervalOf(beats, hearing);
  const aliveAt = lastSignOfLife(row, beats, hearing, now);
  return silenceEndsAt({ aliveAt, graceMs, intervalMs }, hearing.absences);
};

/** The instant (ms) of the first pass that is later than `endsAt`. Passes begin at multiples of their period. */
export const firstPassAfter = (endsAt: EpochMs, periodMs: number): EpochMs =>
  (Math.floor(endsAt / periodMs) + 1) * periodMs;

/**
 * The instant (ms) of the pass that finds the node silent, if nothing more is heard of it and the host stays; `undefined`: it is Unknown.
 * The one forecast of all displays: it asks the rule by which the monitor decides.
 */
export const unknownAt = (
  row: NodeHealthRow,
  beats: Heartbeats | undefined,
  hearing: Hearing,
  now: EpochMs,
  config: GraceConfig & Pick<NodeLifecycleConfig, 'nodeMonitorPeriodMs'>,
): EpochMs | undefined => {
  if (row.ready === 'Unknown') return undefined;
  const endsAt = patienceEndsAt(row, beats, hearing, now, config);
  return firstPassAfter(Math.max(endsAt, now - 1), config.nodeMonitorPeriodMs);
};

/**
 * Decides whether a node has been silent for longer than its grace period (ms, our clock), or a direct node is back;
 * the startup grace applies while Ready is absent.
 * Source: kubernetes v1.34 nodelifecycle `tryUpdateNodeHealth`; the return of direct nodes is Rollcall's own.
 */
export const decideNodeHealth = (
  row: NodeHealthRow,
  beats: Heartbeats | undefined,
  hearing: Hearing,
  now: EpochMs,
  config: GraceConfig,
): NodeHealthDecision => {
  const isUnset = row.ready === undefined || row.ready === 'Unknown';
  // The floor excuses silence but is no heartbeat, so only a real beat makes a node ready.
  if (isUnset && isDirect(row, beats) && isHeardFrom(row, beats, hearing, now, config))
    return { action: 'markReady' };
  if (row.ready === 'Unknown') return NONE;
  if (now <= patienceEndsAt(row, beats, hearing, now, config)) return NONE;
  return { action: 'markUnknown', silentForMs: now - lastSignOfLife(row, beats, hearing, now) };
};

/** A node in the last quarter of its grace period has missed beats, however long the period between passes is. */
const LAST_SHARE = 1 / 4;

/** Whether the patience with a node lasts now, and will be over at the next pass, `periodMs` later, unless the node beats. `graceMs`: its grace period. */
export const isAlmostSilent = (
  row: Pick<NodeHealthRow, 'ready'>,
  endsAt: EpochMs,
  now: EpochMs,
  periodMs: number,
  graceMs: number,
): boolean => {
  if (row.ready === 'Unknown') return false;
  const leftMs = endsAt - now;
  return leftMs >= 0 && leftMs < Math.min(periodMs, graceMs * LAST_SHARE);
};

/** The Ready status that counts for the zone: as decided, whether or not the write has happened. */
export const readyAfter = (
  row: Pick<NodeHealthRow, 'ready'>,
  decision: NodeHealthDecision,
): ConditionStatus | undefined => {
  if (decision.action === 'none') return row.ready;
  return decision.action === 'markReady' ? 'True' : 'Unknown';
};
