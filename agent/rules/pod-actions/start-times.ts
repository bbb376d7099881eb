/** Which containers start at once, and which wait first. Source: kubernetes v1.34 pkg/kubelet/kuberuntime `doBackOff`. */
import { restartDecision } from '../containers/back-off.ts';
import type { Container } from '../containers/container.ts';
import { newestFirst, type RuntimeContainer } from '../containers/runtime-status.ts';
import { type ActionFacts, backOffKey, type ContainerStart, type ContainerWait } from './action-facts.ts';

export interface Starts {
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

/** Divides the containers that are to be started. `recent` are those of the runtime whose end may make them wait. */
export const startsAt = (
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
