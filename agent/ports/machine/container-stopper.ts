import type { AgentPod } from '../../rules/containers/agent-pod.ts';
import type { Container } from '../../rules/containers/container.ts';

/** The part of the runtime that ends containers. */
export interface ContainerStopper {
  /**
   * Sends the container its stop signal, kills it after `timeoutSeconds`, and resolves when it has ended. A container that is not
   * there has ended.
   */
  stopContainer(id: string, timeoutSeconds: number): Promise<void>;
  /** Runs the container's preStop hook; rejects if it fails. */
  runPreStop(pod: AgentPod, container: Container, id: string): Promise<void>;
}
