/**
 * What the agent does next for a pod: which of its containers end, start, or wait. Source: kubernetes v1.34
 * pkg/kubelet/kuberuntime `computePodActions`.
 */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { AgentPod } from '../containers/agent-pod.ts';
import { restartDecision } from '../containers/back-off.ts';
import type { Container } from '../containers/container.ts';
import { newestFirst, type RuntimeContainer } from '../containers/runtime-status.ts';
import {
  type ActionFacts,
  backOffKey,
  type ContainerStart,
  type ContainerWait,
  latestByName,
  type PodActions,
} from './action-facts.ts';
import { initActions } from './init-actions.ts';
import { mainActions } from './main-actions.ts';

const NOTHING: PodActions = {
  endsAll: false,
  createsSandbox: false,
  stop: [],
  startEphemeral: [],
  startInit: [],
  startMain: [],
  wait: [],
};

const END: PodActions = { ...NOTHING, endsAll: true };

interface Wanted {
  readonly init: readonly Container[];
  readonly main: readonly Container[];
}

interface Starts {
  readonly start: readonly ContainerStart[];
  readonly wait: readonly ContainerWait[];
}

/** When the newest of the containers that ended did so; `undefined` if none has. */
const lastEnd = (containers: readonly RuntimeContainer[]): number | undefined => {
  const ends = newestFirst(containers).filter(({ state }) => state === 'exited');
  return ends[0] && (ends[0].finishedAt ?? ends[0].createdAt);
};

/** A container that is only made was being started when the agent ended: its start is asked for once more, and makes no second one. */
const nextCount = (there: readonly RuntimeContainer[]): number => {
  const [latest] = newestFirst(there);
  if (latest?.state === 'created') return latest.restartCount;
  return Math.max(-1, ...there.map((one) => one.restartCount)) + 1;
};

/**
 * Divides the containers that are to be started. `recent` are those of the runtime whose end may make them wait. Source:
 * kubernetes v1.34 pkg/kubelet/kuberuntime `doBackOff`.
 */
const startsAt = (
  { runtime, backOffs, limits, now }: ActionFacts,
  containers: readonly Container[],
  recent: readonly RuntimeContainer[],
): Starts => {
  const start: ContainerStart[] = [];
  const wait: ContainerWait[] = [];
  const all = Map.groupBy(runtime, ({ name }) => name);
  const ended = Map.groupBy(recent, ({ name }) => name);
  for (const container of containers) {
    const restartCount = nextCount(all.get(container.name) ?? []);
    const endedAt = lastEnd(ended.get(container.name) ?? []);
    const before = backOffs.get(backOffKey(container));
    const decision = endedAt === undefined ? undefined : restartDecision(before, endedAt, now, limits);
    if (!decision) start.push({ container, restartCount });
    else if (decision.start) start.push({ container, restartCount, backOff: decision.backOff });
    else wait.push({ container, waitMs: decision.waitMs, untilAt: decision.untilAt });
  }
  return { start, wait };
};

/** An init container of the sandbox before does not make its successor wait. */
const withStarts = (
  facts: ActionFacts,
  { init, main }: Wanted,
  inSandbox: readonly RuntimeContainer[],
  rest: Partial<PodActions>,
): PodActions => {
  const [inits, mains] = [startsAt(facts, init, inSandbox), startsAt(facts, main, facts.runtime)];
  return {
    ...NOTHING,
    ...rest,
    startInit: inits.start,
    startMain: mains.start,
    wait: [...inits.wait, ...mains.wait],
  };
};

type States = ReadonlyMap<string, RuntimeContainer>;

/** Main containers that are to run in a new sandbox: under OnFailure those that succeeded do not run again. */
const unfinished = ({ spec }: AgentPod, latest: States): readonly Container[] =>
  spec.containers.filter(({ name }) => {
    const there = latest.get(name);
    const hasSucceeded = there?.state === 'exited' && there.exitCode === 0;
    return !(spec.restartPolicy === 'OnFailure' && hasSucceeded);
  });

/** The pod begins again from its first init container, unless it may not, or is done. */
const beginAgain = (facts: ActionFacts): PodActions => {
  const { pod, sandbox, runtime } = facts;
  if (sandbox === 'lost' && pod.spec.restartPolicy === 'Never' && runtime.length > 0) return END;
  const main = unfinished(pod, latestByName(runtime));
  if (main.length === 0 && pod.spec.containers.length > 0) return END;
  const [first] = pod.spec.initContainers ?? [];
  const wanted = first ? { init: [first], main: [] } : { init: [], main };
  return withStarts(facts, wanted, [], { endsAll: true, createsSandbox: true });
};

/** They start once, whatever became of them, and do not wait for init containers. */
const ephemeralStarts = ({ pod, runtime }: ActionFacts): readonly ContainerStart[] =>
  (pod.spec.ephemeralContainers ?? [])
    .filter(({ name }) => runtime.every((one) => one.name !== name || one.state === 'created'))
    .map((container) => ({ container, restartCount: 0 }));

const containersInSandbox = (facts: ActionFacts, createdAt: EpochMs): PodActions => {
  const inSandbox = facts.runtime.filter((one) => one.createdAt >= createdAt);
  const init = initActions(facts, latestByName(inSandbox));
  if (init.hasFailed) return END;
  if (!init.isInitialized)
    return withStarts(facts, { init: init.start, main: [] }, inSandbox, { stop: init.stop });
  const main = mainActions(facts, latestByName(facts.runtime));
  // Sidecars alone do not keep a pod alive.
  if (main.kept === 0 && main.start.length === 0) return END;
  const stop = [...init.stop, ...main.stop];
  return withStarts(facts, { init: init.start, main: main.start }, inSandbox, { stop });
};

const goOn = (facts: ActionFacts, createdAt: EpochMs): PodActions => {
  const actions = containersInSandbox(facts, createdAt);
  return actions.endsAll ? actions : { ...actions, startEphemeral: ephemeralStarts(facts) };
};

/** What to do now. */
export const podActions = (facts: ActionFacts): PodActions => {
  if (facts.isEnding) return END;
  return typeof facts.sandbox === 'object' ? goOn(facts, facts.sandbox.createdAt) : beginAgain(facts);
};
