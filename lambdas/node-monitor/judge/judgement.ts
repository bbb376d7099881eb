import type { ConditionStatus } from '../../../shared/kube/types/meta.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { Hearing } from '../../../shared/rules/absences/silence.ts';
import { damped } from '../../../shared/rules/nodes/flapping.ts';
import type { NoExecuteDecision } from '../../../shared/rules/nodes/no-execute.ts';
import { decideNoExecuteFor } from '../../../shared/rules/nodes/no-execute.ts';
import type {
  Heartbeats,
  NodeHealthDecision,
  NodeHealthRow,
} from '../../../shared/rules/nodes/node-health.ts';
import {
  decideNodeHealth,
  graceOf,
  isAlmostSilent,
  patienceEndsAt,
  readyAfter,
  watchFrom,
} from '../../../shared/rules/nodes/node-health.ts';
import type { LifecycleSettings } from '../../../shared/rules/nodes/policy-settings.ts';
import type { Labels } from '../../../shared/rules/zones/zone-names.ts';
import type { NodeLifecycleConfig } from '../../../shared/settings/node-lifecycle.ts';

/** What one pass knows about a node and has decided about it. */
export interface Judgement {
  readonly row: NodeHealthRow;
  readonly health: NodeHealthDecision;
  /** Status of Ready after the decision, even if it is not written yet. */
  readonly ready: ConditionStatus | undefined;
  readonly noExecute: NoExecuteDecision;
  /** As the rule of this name says, for what the pass has read of the node. */
  readonly patienceEndsAt: EpochMs;
  /** The same; absent: the grace period of the node does not adapt. */
  readonly watchFrom?: EpochMs | undefined;
  /** It is silent and keeps its Ready until its turn comes, see `holdBack`. It counts as not ready. */
  readonly isHeldBack?: boolean;
  /** Its patience ends before the next pass. */
  readonly isAlmostSilent?: boolean;
}

/** The values that all decisions of one pass use. */
export interface Viewpoint {
  /** Taken before anything was read (ms). */
  readonly now: EpochMs;
  /** What limits how silence counts. */
  readonly hearing: Hearing;
  readonly config: NodeLifecycleConfig;
  /** What the policies say, as read at the start of the pass. */
  readonly settings: LifecycleSettings;
}

/**
 * Decides about one node with these labels: first its health, then its NoExecute taints by the Ready that results. The labels may be absent if
 * no policy needs them.
 */
export const judge = (
  row: NodeHealthRow,
  beats: Heartbeats | undefined,
  { now, hearing, settings, config }: Viewpoint,
  labels: Labels | undefined,
): Judgement => {
  const own = settings.node(row.zone, labels);
  const health = decideNodeHealth(row, beats, hearing, now, own);
  const endsAt = patienceEndsAt(row, beats, hearing, now, own);
  const ready = readyAfter(row, health);
  const readySince = health.action === 'markReady' ? undefined : row.readyTransitionAt;
  const noExecute = decideNoExecuteFor(ready, row.noExecute);
  return {
    row,
    health,
    ready,
    patienceEndsAt: endsAt,
    watchFrom: watchFrom(row, beats, hearing, now, own),
    isAlmostSilent: isAlmostSilent(
      row,
      endsAt,
      now,
      config.nodeMonitorPeriodMs,
      graceOf(row, beats, hearing, now, own),
    ),
    // An index may not know of all losses: a consistent read decides then.
    noExecute: damped(noExecute, row.losses ?? [], readySince, own.damping, now),
  };
};

/** The judgement of a node whose flip (Ready to Unknown) was refused: it keeps the stored Ready. */
export const withoutFlip = ({ row, patienceEndsAt: endsAt }: Judgement): Judgement => ({
  row,
  patienceEndsAt: endsAt,
  health: { action: 'none' },
  ready: row.ready,
  noExecute: decideNoExecuteFor(row.ready, row.noExecute),
});

/** Whether the pass itself writes the node. A taint that needs a token is added by the node-eviction controller. */
export const needsWrite = ({ health, noExecute }: Judgement): boolean =>
  health.action !== 'none' || noExecute.action === 'remove' || noExecute.action === 'swap';

/**
 * How urgent the write of a node is: the milliseconds for which it has been silent, if it becomes Unknown. Infinity for others: recoveries come
 * first, because they stop evictions.
 */
export const urgencyOf = ({ health }: Judgement): number =>
  health.action === 'markUnknown' ? health.silentForMs : Number.POSITIVE_INFINITY;

/** Sorts the most urgent first. */
export const byUrgency = (a: Judgement, b: Judgement): number => {
  const [first, second] = [urgencyOf(a), urgencyOf(b)];
  return first === second ? 0 : second - first;
};
