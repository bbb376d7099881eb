import type { AgentPod } from '../../rules/containers/agent-pod.ts';
import type { Container } from '../../rules/containers/container.ts';
import type { ProbeKind } from '../../rules/probes/probe-kind.ts';

export interface ProbeAnswer {
  readonly kind: 'success' | 'warning' | 'failure' | 'unknown';
  /** What the probe printed or answered, cut to what an event may hold. */
  readonly output: string;
}

/** Asks a container by its probe: runs its command, or calls it by HTTP, TCP or gRPC. */
export interface Prober {
  /** Rejects if the probe itself could not be made, which says nothing about the container. A time-out is a failure. */
  probe(kind: ProbeKind, pod: AgentPod, container: Container, containerId: string): Promise<ProbeAnswer>;
}
