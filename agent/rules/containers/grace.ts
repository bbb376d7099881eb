/** How long a container that is stopped may take. Source: kubernetes v1.34 pkg/kubelet/kuberuntime `setTerminationGracePeriod`. */
import type { Pod } from '../../../shared/kube/types/core.ts';
import type { Container } from './container.ts';

/** A container always gets two seconds to end by itself. */
export const LEAST_STOP_SECONDS = 2;

/** Why a container is stopped. */
export type StopReason = 'livenessProbe' | 'startupProbe' | 'other';

const probeGrace = (container: Container, reason: StopReason): number | undefined =>
  reason === 'other' ? undefined : container[reason]?.terminationGracePeriodSeconds;

/** The grace period of the container in seconds. That of a probe holds only for the container which that probe failed. */
export const containerGrace = (
  { metadata, spec }: Pick<Pod, 'metadata' | 'spec'>,
  container: Container,
  reason: StopReason,
): number => {
  if (metadata.deletionGracePeriodSeconds !== undefined) return metadata.deletionGracePeriodSeconds;
  if (spec.terminationGracePeriodSeconds === undefined) return LEAST_STOP_SECONDS;
  return probeGrace(container, reason) ?? spec.terminationGracePeriodSeconds;
};
