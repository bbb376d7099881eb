/**
 * How long a container that ended waits before it is started again: at first not at all, then 10 s, then twice as long each
 * time. Source: kubernetes v1.34 pkg/kubelet/kuberuntime `doBackOff`, client-go `flowcontrol.Backoff`.
 */
import { backOff } from '../../../shared/kube/values/back-off.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';

export interface BackOffLimits {
  readonly initialMs: number;
  readonly maxMs: number;
  /** A container that ran for longer than this since its last start begins anew. */
  readonly resetMs: number;
}

/** As the kubelet has it. */
export const RESTART_LIMITS: BackOffLimits = { initialMs: 10_000, maxMs: 300_000, resetMs: 600_000 };

/** What is remembered of a container that was started again. */
export interface BackOff {
  /** How long it waits after its next end. */
  readonly waitMs: number;
  /** When it was last started again. */
  readonly decidedAt: EpochMs;
}

export type RestartDecision =
  | { readonly start: true; readonly backOff: BackOff }
  | { readonly start: false; readonly waitMs: number; readonly untilAt: EpochMs };

/** Whether a container that ended at `endedAt` starts again at `now`. An end in the future means that the clock was set back: it is long ago. */
export const restartDecision = (
  before: BackOff | undefined,
  endedAt: EpochMs,
  now: EpochMs,
  limits: BackOffLimits,
): RestartDecision => {
  const kept = before && endedAt - before.decidedAt <= limits.resetMs ? before : undefined;
  const agoMs = now - endedAt;
  if (kept && agoMs >= 0 && agoMs < kept.waitMs)
    return { start: false, waitMs: kept.waitMs, untilAt: endedAt + kept.waitMs };
  const waitMs = kept ? backOff({ firstMs: kept.waitMs, mostMs: limits.maxMs }, 1) : limits.initialMs;
  return { start: true, backOff: { waitMs, decidedAt: now } };
};
