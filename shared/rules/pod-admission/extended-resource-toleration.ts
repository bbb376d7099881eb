/**
 * Pods tolerate the taints of nodes that are reserved for an extended resource that they ask for. Source: kubernetes v1.34
 * plugin/pkg/admission/extendedresourcetoleration.
 */

import { deepEqual } from '../../kube/json/deep-equal.ts';
import type { Pod, Toleration } from '../../kube/types/core.ts';
import { isExtendedResource } from '../../kube/values/resource-names.ts';

interface Container {
  readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
}

/** The extended resources that containers and init containers ask for, in the order of their names. */
const resourcesOf = ({ spec }: Pod): readonly string[] => {
  const containers = [spec['containers'], spec['initContainers']].flatMap(
    (list) => (list ?? []) as readonly Container[],
  );
  const names = containers.flatMap(({ resources }) => Object.keys(resources?.requests ?? {}));
  return [...new Set(names)].filter(isExtendedResource).sort();
};

const isSame = (a: Toleration, b: Toleration): boolean =>
  a.key === b.key &&
  a.effect === b.effect &&
  a.operator === b.operator &&
  (a.value ?? '') === (b.value ?? '');

/** The list with the toleration, which takes the place of the same one with a time. */
const withToleration = (own: readonly Toleration[], added: Toleration): readonly Toleration[] =>
  own.some((one) => isSame(one, added))
    ? own.map((one) => (isSame(one, added) ? added : one))
    : [...own, added];

/** The pod with `Exists` tolerations of `NoSchedule` for its extended resources; the same object if it has them all. */
export const tolerateExtendedResources = (pod: Pod): Pod => {
  const own = pod.spec.tolerations ?? [];
  const tolerations = resourcesOf(pod).reduce(
    (list, key) => withToleration(list, { key, operator: 'Exists', effect: 'NoSchedule' }),
    own,
  );
  return deepEqual(tolerations, own) ? pod : { ...pod, spec: { ...pod.spec, tolerations } };
};
