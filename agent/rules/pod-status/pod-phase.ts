/** The phase of a pod, from the states of its containers. Source: kubernetes v1.34 pkg/kubelet `getPhase`. */
import type { PodPhase } from '../../../shared/kube/types/core.ts';
import type { AgentPod } from '../containers/agent-pod.ts';
import { type Container, isSidecar } from '../containers/container.ts';
import { byName, type ContainerStatus } from '../containers/container-status.ts';
import { isStaticPod } from '../pods/pod-kind.ts';

/** What a container's status says about its pod's phase. `restarting`: it ended before and waits. */
type Stage = 'none' | 'running' | 'terminated' | 'restarting' | 'waiting' | 'unknown';

const stageOf = (status: ContainerStatus | undefined): Stage => {
  if (!status) return 'none';
  const { state = {}, lastState } = status;
  if (state.running) return 'running';
  if (state.terminated) return 'terminated';
  if (state.waiting) return lastState?.terminated ? 'restarting' : 'waiting';
  return 'unknown';
};

interface Counts {
  readonly unknown: number;
  readonly running: number;
  readonly waiting: number;
  readonly stopped: number;
  readonly succeeded: number;
}

type Lookup = (container: Container) => ContainerStatus | undefined;

/** The exit code with which the container ended last, if that counts for its stage. */
const exitCodeOf = (status: ContainerStatus | undefined): number | undefined => {
  const stage = stageOf(status);
  if (stage === 'terminated') return status?.state?.terminated?.exitCode;
  return stage === 'restarting' ? status?.lastState?.terminated?.exitCode : undefined;
};

const initFailed = (inits: readonly Container[], lookup: Lookup): boolean =>
  inits.some((one) => !isSidecar(one) && (exitCodeOf(lookup(one)) ?? 0) !== 0);

const isInitPending = (one: Container, status: ContainerStatus | undefined): boolean => {
  const stage = stageOf(status);
  if (!isSidecar(one)) return stage !== 'terminated' && stage !== 'restarting';
  if (stage === 'running') return status?.started !== true;
  return stage === 'waiting' || stage === 'unknown';
};

/** Sidecars count while they run, and until they have run; one that ended says nothing about the phase. */
const sidecarStages = (inits: readonly Container[], lookup: Lookup): readonly Stage[] =>
  inits
    .filter(isSidecar)
    .map((one) => stageOf(lookup(one)))
    .filter((stage) => stage !== 'terminated' && stage !== 'restarting');

const countsOf = ({ containers, initContainers = [] }: AgentPod['spec'], lookup: Lookup): Counts => {
  const main = containers.map((one) => stageOf(lookup(one)));
  const all = [...main, ...sidecarStages(initContainers, lookup)];
  const count = (...stages: readonly Stage[]): number => all.filter((stage) => stages.includes(stage)).length;
  return {
    unknown: count('none', 'unknown'),
    running: count('running'),
    waiting: count('waiting'),
    stopped: count('terminated', 'restarting'),
    succeeded: containers.filter((one) => lookup(one)?.state?.terminated?.exitCode === 0).length,
  };
};

/** Of a pod of which no container runs and some have stopped. */
const stoppedPhase = (pod: AgentPod, { stopped, succeeded }: Counts, isTerminal: boolean): PodPhase => {
  const ended = stopped === succeeded ? 'Succeeded' : 'Failed';
  if (isTerminal && !isStaticPod(pod)) return ended;
  const { restartPolicy = 'Always' } = pod.spec;
  if (restartPolicy === 'Always') return 'Running';
  return ended === 'Failed' && restartPolicy !== 'Never' ? 'Running' : ended;
};

const isPending = ({ spec }: AgentPod, lookup: Lookup, isInitialized: boolean): boolean =>
  (spec.initContainers ?? []).some(
    (one) => !(isInitialized && isSidecar(one)) && isInitPending(one, lookup(one)),
  );

export interface PhaseFacts {
  /** Of main and init containers, as the runtime says. */
  readonly statuses: readonly ContainerStatus[];
  /** Whether the pod is being ended for good: no container is started again. */
  readonly isTerminal: boolean;
  /** Whether a main container has started before: sidecars that restart do not make it pending again. */
  readonly isInitialized: boolean;
}

/** The phase that follows from the containers. */
export const phaseOf = (pod: AgentPod, { statuses, isTerminal, isInitialized }: PhaseFacts): PodPhase => {
  const found = byName(statuses);
  const lookup: Lookup = ({ name }) => found.get(name);
  const inits = pod.spec.initContainers ?? [];
  if (pod.spec.restartPolicy === 'Never' && initFailed(inits, lookup)) return 'Failed';
  const counts = countsOf(pod.spec, lookup);
  if (isPending(pod, lookup, isInitialized) || counts.waiting > 0) return 'Pending';
  if (counts.unknown > 0) return 'Pending';
  if (counts.running > 0) return 'Running';
  return counts.stopped > 0 ? stoppedPhase(pod, counts, isTerminal) : 'Pending';
};
