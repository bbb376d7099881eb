/**
 * The one form in which statuses are compared, kept and sent: what Go writes for the fields that are not set, statuses in one
 * order, messages cut. Source: kubernetes v1.34 pkg/kubelet/status `normalizeStatus`, core/v1 types.
 */
import { byText } from '../../../shared/kube/text/compare-text.ts';
import type { AgentPodSpec, AgentPodStatus, PodCondition } from '../containers/agent-pod.ts';
import type { ContainerState, ContainerStatus, Terminated } from '../containers/container-status.ts';

/** All messages of a pod's containers together have at most this many bytes. */
const MOST_MESSAGE_BYTES = 12 * 1024;

const cut = (message: string, bytes: number): string => {
  const encoded = new TextEncoder().encode(message);
  return encoded.length <= bytes ? message : new TextDecoder().decode(encoded.subarray(0, bytes));
};

const terminatedForm = (
  { startedAt = null, finishedAt = null, message, ...rest }: Terminated,
  bytes: number,
): Terminated => ({ ...rest, startedAt, finishedAt, ...(message && { message: cut(message, bytes) }) });

const stateForm = ({ running, terminated, waiting }: ContainerState, bytes: number): ContainerState => ({
  ...(waiting && { waiting }),
  ...(running && { running: { startedAt: running.startedAt ?? null } }),
  ...(terminated && { terminated: terminatedForm(terminated, bytes) }),
});

const containerForm = (
  { state = {}, lastState = {}, ...rest }: ContainerStatus,
  bytes: number,
): ContainerStatus => ({
  ...rest,
  state: stateForm(state, bytes),
  lastState: stateForm(lastState, bytes),
});

const conditionForm = ({
  lastProbeTime = null,
  lastTransitionTime,
  observedGeneration,
  ...rest
}: PodCondition): PodCondition => ({
  ...rest,
  lastProbeTime,
  ...(lastTransitionTime && { lastTransitionTime }),
  ...(observedGeneration && { observedGeneration }),
});

/** How long a message of a container may be. */
const bytesPerMessage = (spec: AgentPodSpec): number => {
  const { containers, initContainers = [], ephemeralContainers = [] } = spec;
  const count = containers.length + initContainers.length + ephemeralContainers.length;
  return Math.trunc(MOST_MESSAGE_BYTES / Math.max(1, count));
};

const inits = (spec: AgentPodSpec, statuses: readonly ContainerStatus[]): readonly ContainerStatus[] => {
  const places = new Map((spec.initContainers ?? []).map(({ name }, place) => [name, place]));
  const placeOf = ({ name }: ContainerStatus): number => places.get(name) ?? places.size;
  return statuses.toSorted((a, b) => placeOf(a) - placeOf(b));
};

const byName = (statuses: readonly ContainerStatus[]): readonly ContainerStatus[] =>
  statuses.toSorted((a, b) => byText(a.name, b.name));

/** The status in the one form. Members that are empty are left out. */
export const statusForm = (spec: AgentPodSpec, status: AgentPodStatus): AgentPodStatus => {
  const bytes = bytesPerMessage(spec);
  const { conditions = [], containerStatuses = [], initContainerStatuses = [], ...most } = status;
  const { ephemeralContainerStatuses = [], ...rest } = most;
  const others = Object.entries(rest).filter(
    ([, value]) => value !== undefined && value !== null && value !== '' && value !== 0,
  );
  const lists = Object.entries({
    containerStatuses: byName(containerStatuses),
    initContainerStatuses: inits(spec, initContainerStatuses),
    ephemeralContainerStatuses: byName(ephemeralContainerStatuses),
  }).flatMap(([name, statuses]) =>
    statuses.length === 0 ? [] : [[name, statuses.map((one) => containerForm(one, bytes))] as const],
  );
  return {
    ...Object.fromEntries(others),
    ...(conditions.length > 0 && { conditions: conditions.map(conditionForm) }),
    ...Object.fromEntries(lists),
  };
};
