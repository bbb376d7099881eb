/** When passes of the node monitor can find nothing, so that ticks on AWS end without one. */
import type { ConditionStatus } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { NodeLifecycleConfig } from '../../settings/node-lifecycle.ts';
import { isTaintedByHealth } from '../zones/health-taints.ts';
import type { ZoneState } from '../zones/zone-state.ts';
import type { NoExecuteDecision } from './no-execute.ts';
import type { NodeHealthRow } from './node-health.ts';

/** At most this long (ms) after a pass there is none, whatever the pass has found. What is stored further ahead was stored before the clock was set back. */
const MOST_MS = 30_000;
/** The same as a share of the grace period. */
const MOST_SHARE = 3 / 4;
/** A change is seen this long (ms) after it took its number: a commit takes up to 12 s, and an index shows it up to 3 s later. */
const SEEN_AFTER_MS = 15_000;
/** A pass begins at most this long (ms) after the tick has asked whether it is needed, and its instant has come. */
const BEGINS_WITHIN_MS = 1_000;

/** One node, as a pass leaves it. */
export interface CalmNode {
  readonly row: Pick<NodeHealthRow, 'noExecute'>;
  readonly ready: ConditionStatus | undefined;
  readonly noExecute: Pick<NoExecuteDecision, 'action'>;
  readonly isHeldBack?: boolean;
  /** See `patienceEndsAt`. */
  readonly patienceEndsAt: EpochMs;
  /** See `watchFrom`; absent: its grace period does not adapt. */
  readonly watchFrom?: EpochMs | undefined;
}

/** How far the Nodes have changed. */
export interface NodesCounter {
  /** The highest number that a change of a Node has taken; 0: none ever has. */
  readonly counter: number;
  /** Since when (ms) passes have seen this counter at their starts. */
  readonly counterSince: EpochMs;
}

/** What a pass has found, and leaves to the next one. */
export interface CalmFacts {
  /** When the pass began (ms). */
  readonly now: EpochMs;
  readonly counterSince: EpochMs;
  /** It had no errors, and has postponed nothing. */
  readonly isComplete: boolean;
  /** No beat, batch or clock floor was ahead of its clock. */
  readonly isInTime: boolean;
  /** By the policies a node is drained at an instant of its own, they need labels of a node that nobody knows yet, or a survived silence is not judged yet. */
  readonly dependsOnTime: boolean;
  readonly nodes: readonly CalmNode[];
  readonly zones: readonly { readonly state: ZoneState }[];
  /** From when (ms) each relay is silent if no more batch comes. */
  readonly relaysSilentAt: readonly EpochMs[];
}

/** What a pass has stored about the next ones. */
export interface StoredCalm {
  /** See `calmUntil`. */
  readonly calmUntil?: EpochMs;
  readonly counter?: number;
  readonly completedNodes?: number;
}

const isWell = ({ row, ready, noExecute, isHeldBack }: CalmNode): boolean =>
  ready === 'True' && noExecute.action === 'none' && isHeldBack !== true && !isTaintedByHealth(row.noExecute);

const isSettled = (facts: CalmFacts): boolean =>
  facts.isComplete &&
  facts.isInTime &&
  !facts.dependsOnTime &&
  facts.now - facts.counterSince >= SEEN_AFTER_MS &&
  facts.zones.every(({ state }) => state === 'Normal') &&
  facts.nodes.every(isWell);

/**
 * Until when (ms) no pass can find anything, unless the Nodes change; 0: the next one may. A beat or a batch only moves it. Relays without nodes
 * are looked at as before: whoever has no nodes has no ticks (see `isIdle`). G-23.
 */
export const calmUntil = (
  facts: CalmFacts,
  { nodeMonitorGracePeriodMs }: Pick<NodeLifecycleConfig, 'nodeMonitorGracePeriodMs'>,
): EpochMs => {
  const { now, nodes, relaysSilentAt } = facts;
  if (!isSettled(facts) || (nodes.length === 0 && relaysSilentAt.length > 0)) return 0;
  let endsAt = Number.POSITIVE_INFINITY;
  for (const { patienceEndsAt, watchFrom = patienceEndsAt } of nodes)
    endsAt = Math.min(endsAt, patienceEndsAt, watchFrom);
  for (const silentAt of relaysSilentAt) endsAt = Math.min(endsAt, silentAt);
  const until = Math.min(
    endsAt - BEGINS_WITHIN_MS,
    now + Math.min(MOST_MS, nodeMonitorGracePeriodMs * MOST_SHARE),
  );
  return until > now ? until : 0;
};

/** The counter with the instant since when passes have seen it, for a pass that began at `now` (ms) and has seen `counter`. */
export const nodesCounter = (stored: Partial<NodesCounter>, counter: number, now: EpochMs): NodesCounter => ({
  counter,
  counterSince: stored.counter === counter ? Math.min(stored.counterSince ?? now, now) : now,
});

/** Until when (ms) passes are left out by what is stored; 0: none is, or it was stored before the clock was set back. */
export const believedUntil = ({ calmUntil: until = 0 }: StoredCalm, now: EpochMs): EpochMs =>
  until - now <= MOST_MS ? until : 0;

/** Whether a pass that would begin at `beginsAt` (ms), now or later, can find nothing. `counter`: as now. G-23. */
export const isCalm = (stored: StoredCalm, counter: number, beginsAt: EpochMs, now: EpochMs): boolean =>
  stored.counter === counter && beginsAt <= believedUntil(stored, now);

/** Whether no pass can find anything until a Node is created: there was none, and no change of one since. G-24. */
export const isIdle = (stored: StoredCalm, counter: number): boolean =>
  stored.completedNodes === 0 && (stored.calmUntil ?? 0) > 0 && stored.counter === counter;
