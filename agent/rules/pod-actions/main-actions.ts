/** What is to be done for the main containers of a pod. Source: kubernetes v1.34 pkg/kubelet/kuberuntime `computePodActions`. */
import type { Container } from '../containers/container.ts';
import { shouldStart } from '../containers/restart.ts';
import type { RuntimeContainer } from '../containers/runtime-status.ts';
import { type ActionFacts, type ContainerStop, isChanged } from './action-facts.ts';

export interface MainActions {
  readonly start: readonly Container[];
  readonly stop: readonly ContainerStop[];
  /** How many containers go on running. */
  readonly kept: number;
}

/** Why a running container has to end, and whether it is started again whatever the policy is. */
interface EndReason extends Pick<ContainerStop, 'message' | 'reason'> {
  readonly restarts: boolean;
}

const endReason = (
  container: Container,
  there: RuntimeContainer,
  { pod, probeResult }: ActionFacts,
): EndReason | undefined => {
  const { name } = container;
  const restarts = pod.spec.restartPolicy !== 'Never';
  if (isChanged(container, there))
    return { message: `Container ${name} definition changed`, reason: 'other', restarts: true };
  if (probeResult('Liveness', there.id) === 'Failure')
    return { message: `Container ${name} failed liveness probe`, reason: 'livenessProbe', restarts };
  if (probeResult('Startup', there.id) === 'Failure')
    return { message: `Container ${name} failed startup probe`, reason: 'startupProbe', restarts };
  return undefined;
};

interface Verdict {
  readonly start?: true;
  readonly stop?: Pick<ContainerStop, 'message' | 'reason'>;
}

/** A container of which nobody knows whether it runs is ended first, so that it does not run twice. */
const NOT_KNOWN = {
  message: 'Container is in "unknown" state, try killing it before restart',
  reason: 'other',
} as const;

const verdictOn = (
  container: Container,
  there: RuntimeContainer | undefined,
  facts: ActionFacts,
): Verdict => {
  if (there?.state !== 'running') {
    if (!shouldStart(facts.pod, there)) return {};
    return { start: true, ...(there?.state === 'unknown' && { stop: NOT_KNOWN }) };
  }
  const end = endReason(container, there, facts);
  if (!end) return {};
  const { message, reason, restarts } = end;
  return restarts
    ? { start: true, stop: { message: `${message}, will be restarted`, reason } }
    : { stop: { message, reason } };
};

/** What is to be done once the init containers are done. */
export const mainActions = (
  facts: ActionFacts,
  latest: ReadonlyMap<string, RuntimeContainer>,
): MainActions => {
  const judged = facts.pod.spec.containers.map((container) => {
    const there = latest.get(container.name);
    return { container, there, verdict: verdictOn(container, there, facts) };
  });
  return {
    start: judged.filter(({ verdict }) => verdict.start).map(({ container }) => container),
    stop: judged.flatMap(({ container, there, verdict }) =>
      verdict.stop && there ? [{ ...verdict.stop, container, id: there.id }] : [],
    ),
    kept: judged.filter(({ there, verdict }) => there?.state === 'running' && !verdict.stop).length,
  };
};
