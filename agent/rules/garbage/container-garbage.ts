/** Which ended containers are removed. Source: kubernetes v1.34 pkg/kubelet/kuberuntime `containerGC.evictContainers`. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { newestFirst, type RuntimeContainer } from '../containers/runtime-status.ts';

export interface ContainerPolicy {
  /** A container that was made more recently is kept (ms). */
  readonly minAgeMs: number;
  /** Ended ones of one name in one pod; below 0: any number. */
  readonly mostPerContainer: number;
  /** Ended ones on the machine; below 0: any number. */
  readonly most: number;
}

/** As the kubelet has it. */
export const CONTAINER_POLICY: ContainerPolicy = { minAgeMs: 0, mostPerContainer: 1, most: -1 };

type Group = readonly RuntimeContainer[];

const isEnded = ({ state }: RuntimeContainer): boolean => state === 'exited' || state === 'unknown';

/** One that was made in the future is old: the clock was set back. */
const isOldEnough = (ageMs: number, minAgeMs: number): boolean => ageMs < 0 || ageMs >= minAgeMs;

/** One group for each name of a container, the newest first. */
const groupsOf = (pod: Group, { minAgeMs }: ContainerPolicy, now: EpochMs): readonly Group[] => {
  const ended = pod.filter((one) => isEnded(one) && isOldEnough(now - one.createdAt, minAgeMs));
  return [...Map.groupBy(newestFirst(ended), ({ name }) => name).values()];
};

const shortened = (groups: readonly Group[], most: number): readonly Group[] =>
  most < 0 ? groups : groups.map((group) => group.slice(0, most));

const sizeOf = (groups: readonly Group[]): number => groups.reduce((sum, { length }) => sum + length, 0);

/** Every name keeps as many as every other, one at least; if that is too much, the oldest of all go. */
const withinTotal = (groups: readonly Group[], most: number): readonly Group[] => {
  if (most < 0 || sizeOf(groups) <= most) return groups;
  const even = shortened(groups, Math.max(1, Math.floor(most / groups.length)));
  return sizeOf(even) <= most ? even : [newestFirst(even.flat()).slice(0, most)];
};

/** Ids of the containers that go; `pods` has all containers of each pod. What runs is never among them. */
export const deadContainers = (
  pods: readonly Group[],
  policy: ContainerPolicy,
  now: EpochMs,
): readonly string[] => {
  const groups = pods.flatMap((pod) => groupsOf(pod, policy, now));
  const kept = new Set(withinTotal(shortened(groups, policy.mostPerContainer), policy.most).flat());
  return groups.flat().flatMap((one) => (kept.has(one) ? [] : [one.id]));
};
