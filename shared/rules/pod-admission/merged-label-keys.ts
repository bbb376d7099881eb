/**
 * Writes `matchLabelKeys` and `mismatchLabelKeys` of a new pod into the selectors beside them, so that every scheduler chooses the same
 * pods. Source: kubernetes v1.34 `mutatePodAffinity`, `mutateTopologySpreadConstraints`.
 */
import type { KeyedSelector, PodAffinity } from '../../kube/types/affinity.ts';
import type { Pod, PodSpec } from '../../kube/types/core.ts';
import { withLabelKeys } from '../scheduling/pods/label-keys.ts';

type Kind = 'podAffinity' | 'podAntiAffinity';

interface Spec extends PodSpec {
  readonly affinity?: Readonly<Partial<Record<Kind, PodAffinity>>>;
  readonly topologySpreadConstraints?: readonly KeyedSelector[];
}

const merged =
  (pod: Pod) =>
  <T extends KeyedSelector>(term: T): T => {
    const { labelSelector, matchLabelKeys, mismatchLabelKeys } = term;
    const matching = withLabelKeys(labelSelector, matchLabelKeys, pod, 'In');
    const selector = withLabelKeys(matching, mismatchLabelKeys, pod, 'NotIn');
    return selector === labelSelector ? term : { ...term, labelSelector: selector };
  };

const mergedAffinity = (affinity: PodAffinity, pod: Pod): PodAffinity => {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: required,
    preferredDuringSchedulingIgnoredDuringExecution: preferred,
  } = affinity;
  const merge = merged(pod);
  return {
    ...affinity,
    ...(required && { requiredDuringSchedulingIgnoredDuringExecution: required.map(merge) }),
    ...(preferred && {
      preferredDuringSchedulingIgnoredDuringExecution: preferred.map(({ podAffinityTerm = {}, ...wish }) => ({
        ...wish,
        podAffinityTerm: merge(podAffinityTerm),
      })),
    }),
  };
};

const KINDS: readonly Kind[] = ['podAffinity', 'podAntiAffinity'];

const mergedAffinities = (affinity: NonNullable<Spec['affinity']>, pod: Pod): object => ({
  ...affinity,
  ...Object.fromEntries(
    KINDS.flatMap((kind) => {
      const given = affinity[kind];
      return given ? [[kind, mergedAffinity(given, pod)]] : [];
    }),
  ),
});

/** The pod, each of whose selectors requires of other pods what the keys beside it stand for. A key that the pod has not as a label counts for nothing. */
export const withMergedLabelKeys = (pod: Pod): Pod => {
  const { affinity, topologySpreadConstraints: spreads }: Spec = pod.spec;
  if (!affinity && !spreads) return pod;
  return {
    ...pod,
    spec: {
      ...pod.spec,
      ...(affinity && { affinity: mergedAffinities(affinity, pod) }),
      ...(spreads && { topologySpreadConstraints: spreads.map(merged(pod)) }),
    },
  };
};
