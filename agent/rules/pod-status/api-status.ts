/**
 * The status of a pod as the agent of its node computes it. What is sent of it says `status-merge.ts`. Source: kubernetes
 * v1.34 pkg/kubelet `generateAPIPodStatus`.
 */
import { qosClassOf } from '../../../shared/kube/defaults/qos-class.ts';
import type { PodPhase } from '../../../shared/kube/types/core.ts';
import { DISRUPTION_TARGET } from '../../../shared/kube/types/well-known.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import {
  type AgentPod,
  type AgentPodStatus,
  isTerminalPhase,
  type PodCondition,
} from '../containers/agent-pod.ts';
import { apiStatuses, type StartError } from '../containers/api-statuses.ts';
import type { RuntimeContainer } from '../containers/runtime-status.ts';
import { addressesOf } from '../pods/pod-addresses.ts';
import {
  conditionFor,
  containersReady,
  POD_SCHEDULED,
  podInitialized,
  podReady,
  READY_TO_START,
} from './conditions.ts';
import { isOwnedCondition, withCondition } from './owned-conditions.ts';
import { phaseOf } from './pod-phase.ts';

export interface StatusInput {
  /** The status as last computed; absent after a start of the agent: the API's counts. */
  readonly before?: AgentPodStatus;
  readonly runtime: readonly RuntimeContainer[];
  /** What containers of the pod start in: its network and its cgroup. A new one replaces it, for example after the machine started. */
  readonly sandbox?: { readonly createdAt: EpochMs };
  readonly podIPs: readonly string[];
  /** Of the node; none if they are not known. */
  readonly hostIPs: readonly string[];
  /** Whether the pod is being ended for good. */
  readonly isTerminal: boolean;
  readonly startErrors: ReadonlyMap<string, StartError>;
  /** A reason to end the pod that stands in no container, such as its deadline. */
  readonly eviction?: Required<Pick<AgentPodStatus, 'reason' | 'message'>>;
  /** Says what the probes know: sets `started` and `ready` of the statuses. */
  readonly probed?: (status: AgentPodStatus) => AgentPodStatus;
}

interface PhaseReport {
  readonly phase: PodPhase;
  readonly reason?: string;
  readonly message?: string;
}

const statusesOf = (pod: AgentPod, before: AgentPodStatus, input: StatusInput): AgentPodStatus => {
  const { spec } = pod;
  const facts = { pod, runtime: input.runtime, startErrors: input.startErrors };
  const containerStatuses = apiStatuses({
    ...facts,
    containers: spec.containers,
    isInit: false,
    before: before.containerStatuses ?? [],
  });
  const { initContainers = [], ephemeralContainers = [] } = spec;
  const initContainerStatuses = apiStatuses({
    ...facts,
    containers: initContainers,
    isInit: true,
    before: before.initContainerStatuses ?? [],
  });
  const ephemeralContainerStatuses = apiStatuses({
    ...facts,
    containers: ephemeralContainers,
    isInit: false,
    before: before.ephemeralContainerStatuses ?? [],
  });
  return {
    containerStatuses,
    ...(initContainers.length > 0 && { initContainerStatuses }),
    ...(ephemeralContainers.length > 0 && { ephemeralContainerStatuses }),
  };
};

/** A main container of the sandbox before does not count: the init containers run again. */
const hasStartedInSandbox = ({ spec }: AgentPod, { runtime, sandbox }: StatusInput): boolean => {
  const names = new Set(spec.containers.map(({ name }) => name));
  return runtime.some(
    ({ name, state, createdAt }) =>
      sandbox !== undefined &&
      createdAt >= sandbox.createdAt &&
      names.has(name) &&
      (state === 'running' || state === 'exited'),
  );
};

/** A pod that ended, by the agent's own status or by the API's, does not begin again. */
const terminalOf = (computed: PodPhase, before: AgentPodStatus, api: AgentPodStatus): PodPhase =>
  [computed, before.phase, api.phase].find((phase) => phase !== undefined && isTerminalPhase(phase)) ??
  computed;

/**
 * The phase, from the one that follows from the containers, the status `before`, and that of the API. Reason and message belong
 * to a phase, and go with it. Source: kubernetes v1.34 pkg/kubelet `generateAPIPodStatus`.
 */
const reportedPhase = (computed: PodPhase, before: AgentPodStatus, api: AgentPodStatus): PhaseReport => {
  const phase = terminalOf(computed, before, api);
  if (phase !== before.phase) return { phase };
  const [reason, message] = [before.reason || api.reason, before.message || api.message];
  return { phase, ...(reason && { reason }), ...(message && { message }) };
};

/** The API's terminal phase never changes. */
const keptPhase = (report: PhaseReport, api: PodPhase | undefined): PhaseReport =>
  api !== undefined && isTerminalPhase(api) ? { ...report, phase: api } : report;

const phaseReport = (
  pod: AgentPod,
  before: AgentPodStatus,
  { containerStatuses = [], initContainerStatuses = [] }: AgentPodStatus,
  input: StatusInput,
): PhaseReport => {
  const { isTerminal, eviction } = input;
  const computed = phaseOf(pod, {
    statuses: [...containerStatuses, ...initContainerStatuses],
    isTerminal,
    isInitialized: hasStartedInSandbox(pod, input),
  });
  const report = reportedPhase(computed, before, pod.status ?? {});
  const said: PhaseReport = eviction ? { phase: 'Failed', ...eviction } : report;
  return keptPhase(said, pod.status?.phase);
};

/** The conditions of others, and that of a disruption, which nothing but its event tells. */
const carriedConditions = (pod: AgentPod, before: AgentPodStatus): readonly PodCondition[] => {
  const foreign = (pod.status?.conditions ?? []).filter(({ type }) => !isOwnedCondition(type));
  const disruption = before.conditions?.find(({ type }) => type === DISRUPTION_TARGET);
  return disruption ? withCondition(foreign, disruption) : foreign;
};

const conditionsOf = (
  pod: AgentPod,
  before: AgentPodStatus,
  { phase, containerStatuses = [], initContainerStatuses = [] }: AgentPodStatus,
  canStart: boolean,
): readonly PodCondition[] => {
  const statuses = [...initContainerStatuses, ...containerStatuses];
  const sofar = [
    ...carriedConditions(pod, before),
    conditionFor(pod, READY_TO_START, { status: canStart ? 'True' : 'False' }),
    podInitialized(pod, statuses, phase),
  ];
  return [
    ...sofar,
    podReady(pod, sofar, statuses, phase),
    containersReady(pod, statuses, phase),
    conditionFor(pod, POD_SCHEDULED, { status: 'True' }),
  ];
};

/** The status without times of conditions: they are set when it is compared with the one before. */
export const apiStatus = (pod: AgentPod, input: StatusInput): AgentPodStatus => {
  const before = input.before ?? pod.status ?? {};
  const containers = statusesOf(pod, before, input);
  const report = phaseReport(pod, before, containers, input);
  const status = { ...containers, ...report, qosClass: qosClassOf(pod.spec) };
  const probed = input.probed?.(status) ?? status;
  const conditions = conditionsOf(pod, before, probed, input.sandbox !== undefined);
  return { ...probed, ...addressesOf(pod, input.podIPs, input.hostIPs), conditions };
};
