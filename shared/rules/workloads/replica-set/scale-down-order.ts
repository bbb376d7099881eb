/** Which pods of an owner go first. Source: kubernetes v1.34 `controller_utils.go` `ActivePodsWithRanks`. */

import { byText } from '../../../kube/text/compare-text.ts';
import type { Pod } from '../../../kube/types/core.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import { parseTime } from '../../../kube/values/time.ts';
import { isPodReady } from '../../pods/pod-conditions.ts';
import { readySince } from '../children/pod-state.ts';

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const PHASES: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };
const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const MOST_COST = 2 ** 31;

/** The cost that the pod's annotation names; 0 without a valid 32-bit integer. */
const deletionCost = ({ metadata }: Pod): number => {
  const given = metadata.annotations?.[DELETION_COST] ?? '';
  const cost = INTEGER.test(given) ? Number(given) : 0;
  return cost >= -MOST_COST && cost < MOST_COST ? cost : 0;
};

interface ContainerFields {
  readonly name?: string;
  readonly restartCount?: number;
  readonly restartPolicy?: string;
}

const listOf = (fields: Readonly<Record<string, unknown>> | undefined, name: string) =>
  (fields?.[name] ?? []) as readonly ContainerFields[];

const mostOf = (counts: readonly number[]): number =>
  counts.reduce((most, count) => Math.max(most, count), 0);

/** The most restarts of a container, and of a sidecar. */
const restartsOf = ({ spec, status }: Pod): readonly [number, number] => {
  const sidecars = new Set(
    listOf(spec, 'initContainers').flatMap(({ name, restartPolicy }) =>
      restartPolicy === 'Always' ? [name] : [],
    ),
  );
  const counts = (statuses: readonly ContainerFields[]): readonly number[] =>
    statuses.map(({ restartCount = 0 }) => restartCount);
  const initial = listOf(status, 'initContainerStatuses');
  return [
    mostOf(counts(listOf(status, 'containerStatuses'))),
    mostOf(counts(initial.filter(({ name }) => sidecars.has(name)))),
  ];
};

/** The class of an age: by powers of two of its nanoseconds, so that pods of about the same age go in no order of age. */
const ageClass = (since: EpochMs, now: EpochMs): number =>
  now > since ? Math.floor(Math.log2((now - since) * 1_000_000)) : -1;

/** Compares by age: the younger class first, within one class by uid. Without an instant a pod is the youngest. */
const byAge = (a: Pod, b: Pod, [since, other]: readonly (EpochMs | undefined)[], now: EpochMs): number => {
  if (since === other) return 0;
  if (since === undefined) return -1;
  if (other === undefined) return 1;
  const difference = ageClass(since, now) - ageClass(other, now);
  return difference === 0 ? byText(a.metadata.uid ?? '', b.metadata.uid ?? '') : difference;
};

const createdAt = ({ metadata }: Pod): EpochMs | undefined => parseTime(metadata.creationTimestamp ?? '');

type Compare = (a: Pod, b: Pod) => number;

const byNumber =
  (of: (pod: Pod) => number): Compare =>
  (a, b) =>
    of(a) - of(b);

const comparisons = (neighbours: ReadonlyMap<string, number>, now: EpochMs): readonly Compare[] => [
  byNumber(({ spec }) => (spec.nodeName ? 1 : 0)),
  byNumber(({ status }) => PHASES[status?.phase ?? ''] ?? 0),
  byNumber((pod) => (isPodReady(pod) ? 1 : 0)),
  byNumber(deletionCost),
  byNumber(({ spec }) => -(neighbours.get(spec.nodeName ?? '') ?? 0)),
  (a, b) => (isPodReady(a) ? byAge(a, b, [readySince(a), readySince(b)], now) : 0),
  byNumber((pod) => -restartsOf(pod)[0]),
  byNumber((pod) => -restartsOf(pod)[1]),
  (a, b) => byAge(a, b, [createdAt(a), createdAt(b)], now),
];

/** How many active pods each node has. */
const podsByNode = (pods: readonly Pod[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { spec } of pods) counts.set(spec.nodeName ?? '', (counts.get(spec.nodeName ?? '') ?? 0) + 1);
  return counts;
};

/**
 * The pods in the order in which they are deleted, at `now` (ms) (W-47). `related`: the active pods of all owners that spread over
 * nodes together, such as the ReplicaSets of one Deployment.
 */
export const inScaleDownOrder = (
  pods: readonly Pod[],
  related: readonly Pod[],
  now: EpochMs,
): readonly Pod[] => {
  const compares = comparisons(podsByNode(related), now);
  return pods.toSorted((a, b) => {
    for (const compare of compares) {
      const order = compare(a, b);
      if (order !== 0) return order;
    }
    return 0;
  });
};
