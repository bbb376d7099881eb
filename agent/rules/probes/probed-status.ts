/** What the probes say about containers: whether they have started, and are ready. Source: kubernetes v1.34 pkg/kubelet/prober `UpdatePodStatus`. */

import type { AgentPodSpec, AgentPodStatus } from '../containers/agent-pod.ts';
import { isSidecar } from '../containers/container.ts';
import { isSameContainer } from '../containers/container-id.ts';
import { byName, type ContainerStatus } from '../containers/container-status.ts';
import type { Known } from '../known.ts';
import type { ProbeKind, ProbeResult } from './probe-kind.ts';

/** What one probe of a container has found out. Not known: it has not been judged yet, or is not asked any more. */
export type ProbeFinding = 'no probe' | Known<ProbeResult>;

export type ProbeLookup = (kind: ProbeKind, status: ContainerStatus) => ProbeFinding;

/** What the probes have found out, and what was told of the containers last, perhaps by an agent that ran before. */
interface Findings {
  readonly lookup: ProbeLookup;
  readonly told: ReadonlyMap<string, ContainerStatus>;
}

/** What was told of this very container; a container of another id has shown nothing yet. */
const toldOf = (
  { name, containerID }: ContainerStatus,
  told: Findings['told'],
): ContainerStatus | undefined => {
  const status = told.get(name);
  const [id, toldId] = [containerID, status?.containerID];
  return id !== undefined && toldId !== undefined && isSameContainer(id, toldId) ? status : undefined;
};

const hasStarted = (status: ContainerStatus, { lookup, told }: Findings): boolean => {
  if (!status.state?.running) return false;
  const finding = lookup('Startup', status);
  if (finding === 'no probe') return true;
  return finding.isKnown ? finding.value === 'Success' : toldOf(status, told)?.started === true;
};

const isReady = (status: ContainerStatus, { lookup, told }: Findings): boolean => {
  if (!status.state?.running) return false;
  const finding = lookup('Readiness', status);
  if (finding === 'no probe') return true;
  return finding.isKnown ? finding.value === 'Success' : toldOf(status, told)?.ready === true;
};

/** A container that has not started keeps what its status says. */
const probed = (status: ContainerStatus, findings: Findings): ContainerStatus => {
  const started = hasStarted(status, findings);
  return { ...status, started, ...(started && { ready: isReady(status, findings) }) };
};

const probedInit = (
  status: ContainerStatus,
  container: NonNullable<AgentPodSpec['initContainers']>[number] | undefined,
  findings: Findings,
): ContainerStatus => {
  if (container?.name !== status.name) return { ...status, started: hasStarted(status, findings) };
  if (isSidecar(container)) return probed(status, findings);
  const isDone = status.state?.terminated?.exitCode === 0;
  return { ...status, started: hasStarted(status, findings), ...(isDone && { ready: true }) };
};

const findingsOf = (
  lookup: ProbeLookup,
  { containerStatuses = [], initContainerStatuses = [] }: AgentPodStatus,
): Findings => ({ lookup, told: byName([...containerStatuses, ...initContainerStatuses]) });

/**
 * The status with `started` and `ready` of all containers. `told` is the status as it was told last: while a probe has found nothing out about
 * a container, what was told of the same container goes on.
 */
export const probedStatus = (
  { initContainers = [] }: AgentPodSpec,
  status: AgentPodStatus,
  lookup: ProbeLookup,
  told: AgentPodStatus,
): AgentPodStatus => {
  const { containerStatuses, initContainerStatuses } = status;
  const findings = findingsOf(lookup, told);
  return {
    ...status,
    ...(containerStatuses && { containerStatuses: containerStatuses.map((one) => probed(one, findings)) }),
    ...(initContainerStatuses && {
      initContainerStatuses: initContainerStatuses.map((one, place) =>
        probedInit(one, initContainers[place], findings),
      ),
    }),
  };
};

const isUnanswered = (status: ContainerStatus, findings: Findings): boolean => {
  const finding = findings.lookup('Readiness', status);
  if (finding === 'no probe' || !hasStarted(status, findings)) return false;
  return !(finding.isKnown && finding.value === 'Success');
};

/** Names of the containers whose readiness probe is to be made at once: they have started, and no probe says that they are ready. */
export const unansweredContainers = (
  { initContainers = [] }: Pick<AgentPodSpec, 'initContainers'>,
  status: AgentPodStatus,
  lookup: ProbeLookup,
): readonly string[] => {
  const { containerStatuses = [], initContainerStatuses = [] } = status;
  const findings = findingsOf(lookup, status);
  const sidecars = initContainerStatuses.filter((_one, place) => isSidecar(initContainers[place] ?? {}));
  return [...sidecars, ...containerStatuses]
    .filter((one) => isUnanswered(one, findings))
    .map(({ name }) => name);
};
