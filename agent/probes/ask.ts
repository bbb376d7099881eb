/** Asks a container once by one of its probes. Source: kubernetes v1.34 pkg/kubelet/prober `prober.probe`. */

import type { PodEvents } from '../ports/api/pod-events.ts';
import type { ProbeAnswer, Prober } from '../ports/machine/prober.ts';
import type { AgentPod } from '../rules/containers/agent-pod.ts';
import type { Container } from '../rules/containers/container.ts';
import type { ProbeKind } from '../rules/probes/probe-kind.ts';

/** How often a probe is made until it works. */
const TRIES = 3;

export interface AskDeps {
  readonly prober: Prober;
  readonly events: PodEvents;
}

export interface Asked {
  readonly kind: ProbeKind;
  readonly pod: AgentPod;
  readonly container: Container;
  readonly containerId: string;
}

const answerOf = async (prober: Prober, asked: Asked): Promise<ProbeAnswer> => {
  const { kind, pod, container, containerId } = asked;
  for (let tried = 1; ; tried += 1) {
    try {
      return await prober.probe(kind, pod, container, containerId);
    } catch (error) {
      if (tried === TRIES) throw error;
    }
  }
};

/** The container's answer; `undefined` if the probe could not be made. */
export const ask = async (
  { prober, events }: AskDeps,
  asked: Asked,
): Promise<'Success' | 'Failure' | undefined> => {
  const { kind, pod, container } = asked;
  const record = (reason: string, message: string): void =>
    events.record(pod, { type: 'Warning', reason, message, container: container.name });
  try {
    const answer = await answerOf(prober, asked);
    if (answer.kind === 'failure') record('Unhealthy', `${kind} probe failed: ${answer.output}`);
    if (answer.kind === 'warning') record('ProbeWarning', `${kind} probe warning: ${answer.output}`);
    return answer.kind === 'success' || answer.kind === 'warning' ? 'Success' : 'Failure';
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    record('Unhealthy', `${kind} probe errored and resulted in unknown state: ${text}`);
    return undefined;
  }
};
