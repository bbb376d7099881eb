/** The conditions of a pod that follow from its containers. Source: kubernetes v1.34 pkg/kubelet/status `generate.go`. */

import { quote } from '../../../shared/kube/text/go-quote.ts';
import type { PodPhase } from '../../../shared/kube/types/core.ts';
import type { Condition, ConditionStatus } from '../../../shared/kube/types/meta.ts';
import { READY } from '../../../shared/kube/types/well-known.ts';
import type { AgentPod } from '../containers/agent-pod.ts';
import type { ContainerStatus } from '../containers/container-status.ts';
import {
  hasMainStarted,
  incompleteInitContainers,
  missingText,
  unreadyContainers,
} from './container-readiness.ts';

export const CONTAINERS_READY = 'ContainersReady';
export const INITIALIZED = 'Initialized';
export const POD_SCHEDULED = 'PodScheduled';
export const READY_TO_START = 'PodReadyToStartContainers';

/** A condition before anybody knows since when it holds. */
type Verdict = Omit<Condition, 'type' | 'observedGeneration'>;

/** A condition of the generation of the pod that the agent has seen. */
export const conditionFor = ({ metadata }: AgentPod, type: string, verdict: Verdict): Condition => ({
  type,
  ...(metadata.generation ? { observedGeneration: metadata.generation } : {}),
  ...verdict,
});

const because = (reason: string, message = ''): Verdict => ({
  status: 'False',
  reason,
  ...(message === '' ? {} : { message }),
});

const TRUE: Verdict = { status: 'True' };
const UNKNOWN_STATUSES = 'UnknownContainerStatuses';

/** Of Ready and ContainersReady once no container of the pod runs any more. */
export const verdictAtEnd = (phase: PodPhase): Verdict =>
  because(phase === 'Failed' ? 'PodFailed' : 'PodCompleted');

/** The statuses of all containers; absent: nothing is known about any. */
type Statuses = readonly ContainerStatus[] | undefined;

const containersVerdict = ({ spec }: AgentPod, statuses: Statuses, phase: PodPhase | undefined): Verdict => {
  if (!statuses) return because(UNKNOWN_STATUSES);
  const missing = unreadyContainers(spec, statuses);
  if (phase === 'Failed' || (phase === 'Succeeded' && missing.unknown.length === 0))
    return verdictAtEnd(phase);
  const message = missingText(missing, 'unready');
  return message === '' ? TRUE : because('ContainersNotReady', message);
};

const gateText = (gate: string, status: ConditionStatus | undefined): string =>
  status === undefined
    ? `corresponding condition of pod readiness gate ${quote(gate)} does not exist.`
    : `the status of pod readiness gate ${quote(gate)} is not "True", but ${status}`;

const gatesVerdict = ({ spec }: AgentPod, conditions: readonly Condition[]): Verdict => {
  const statusOf = (gate: string) => conditions.find(({ type }) => type === gate)?.status;
  const closed = (spec.readinessGates ?? [])
    .map(({ conditionType }) => ({ gate: conditionType, status: statusOf(conditionType) }))
    .filter(({ status }) => status !== 'True');
  const texts = closed.map(({ gate, status }) => gateText(gate, status));
  return texts.length === 0 ? TRUE : because('ReadinessGatesNotReady', texts.join(', '));
};

const initializedVerdict = ({ spec }: AgentPod, statuses: Statuses, phase: PodPhase | undefined): Verdict => {
  if (!statuses && (spec.initContainers ?? []).length > 0) return because(UNKNOWN_STATUSES);
  const missing = incompleteInitContainers(spec, statuses ?? []);
  if (phase === 'Succeeded' && missing.unknown.length === 0)
    return { status: 'True', reason: 'PodCompleted' };
  if (hasMainStarted(spec, statuses ?? [])) return TRUE;
  const message = missingText(missing, 'incomplete');
  return message === '' ? TRUE : because('ContainersNotInitialized', message);
};

/** Whether sidecars and main containers are ready. */
export const containersReady = (pod: AgentPod, statuses: Statuses, phase: PodPhase | undefined): Condition =>
  conditionFor(pod, CONTAINERS_READY, containersVerdict(pod, statuses, phase));

/** Whether the containers are ready and the conditions of all readiness gates are True. */
export const podReady = (
  pod: AgentPod,
  conditions: readonly Condition[],
  statuses: Statuses,
  phase: PodPhase | undefined,
): Condition => {
  const verdict = containersVerdict(pod, statuses, phase);
  return conditionFor(pod, READY, verdict.status === 'True' ? gatesVerdict(pod, conditions) : verdict);
};

/** Whether the init containers are done, or a main container has started before. */
export const podInitialized = (pod: AgentPod, statuses: Statuses, phase: PodPhase | undefined): Condition =>
  conditionFor(pod, INITIALIZED, initializedVerdict(pod, statuses, phase));
