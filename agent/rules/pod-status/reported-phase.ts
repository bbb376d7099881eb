/** The phase that the agent reports, with its reason. Source: kubernetes v1.34 pkg/kubelet `generateAPIPodStatus`. */
import type { PodPhase } from '../../../shared/kube/types/core.ts';
import { type AgentPodStatus, isTerminalPhase } from '../containers/agent-pod.ts';

export interface PhaseReport {
  readonly phase: PodPhase;
  readonly reason?: string;
  readonly message?: string;
}

/** A pod that ended, by the agent's own status or by the API's, does not begin again. */
const terminalOf = (computed: PodPhase, before: AgentPodStatus, api: AgentPodStatus): PodPhase =>
  [computed, before.phase, api.phase].find((phase) => phase !== undefined && isTerminalPhase(phase)) ??
  computed;

/**
 * The phase, from the one that follows from the containers, the status `before`, and that of the API. Reason and message belong to
 * a phase, and go with it.
 */
export const reportedPhase = (
  computed: PodPhase,
  before: AgentPodStatus,
  api: AgentPodStatus,
): PhaseReport => {
  const phase = terminalOf(computed, before, api);
  if (phase !== before.phase) return { phase };
  const [reason, message] = [before.reason || api.reason, before.message || api.message];
  return { phase, ...(reason && { reason }), ...(message && { message }) };
};

/** The API's terminal phase never changes. */
export const keptPhase = (report: PhaseReport, api: PodPhase | undefined): PhaseReport =>
  api !== undefined && isTerminalPhase(api) ? { ...report, phase: api } : report;
