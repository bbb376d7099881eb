/** What a node says of itself while it shuts down. Source: kubernetes v1.34 pkg/kubelet/nodeshutdown. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { ShutdownReport } from '../../../shared/rules/shutdown/shutdown-report.ts';
import { rejection } from '../pods/verdict.ts';

/** The error of the condition Ready. */
export const NODE_IS_SHUTTING_DOWN = 'node is shutting down';

/** The answer about each new pod. */
export const SHUTDOWN_REJECTION = rejection('NodeShutdown', 'Pod was rejected as the node is shutting down.');

/** The reason of the Node's Events. */
export const SHUTDOWN_EVENT = 'Shutdown';

/** How far a shutdown has come: a phase is one group of pods. Groups without pods do not count. */
export interface ShutdownProgress {
  /** From 1 to `phases`; 0: no pod is left to end. */
  readonly phase: number;
  readonly phases: number;
  /** When the pods of this phase have to be gone. */
  readonly phaseEndsAt: EpochMs;
  /** When the pods of all phases have to be gone. */
  readonly endsAt: EpochMs;
}

/** What the control plane is told of a phase. */
export type ToldShutdown = ShutdownReport;

/** Progress at the begin of phase `index` (from 0), with the seconds of each phase. */
export const progressAt = (
  phaseSeconds: readonly number[],
  index: number,
  now: EpochMs,
): ShutdownProgress => {
  const left = phaseSeconds.slice(index);
  const endAfter = (seconds: readonly number[]): EpochMs =>
    now + 1000 * seconds.reduce((sum, one) => sum + one, 0);
  return {
    phase: left.length === 0 ? 0 : index + 1,
    phases: phaseSeconds.length,
    phaseEndsAt: endAfter(left.slice(0, 1)),
    endsAt: endAfter(left),
  };
};
