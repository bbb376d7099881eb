/** Spread constraints of pods that have none of their own. Source: kubernetes v1.34 `podtopologyspread` `buildDefaultConstraints`. */

import { selects } from '../../../kube/selector/object-selector.ts';
import type { Spread } from '../../../kube/types/affinity.ts';
import type { Pod } from '../../../kube/types/core.ts';
import type {
  ApiObject,
  LabelSelector,
  LabelSelectorRequirement,
  OwnerReference,
} from '../../../kube/types/meta.ts';
import { LABEL_HOSTNAME, LABEL_ZONE } from '../../../kube/types/well-known.ts';
import { controllerOf } from '../../../kube/values/controller-of.ts';

type Labels = Readonly<Record<string, string>>;

/** A Service or a ReplicationController: its selector is a plain map of labels. */
export interface LabelMapOwner extends ApiObject {
  readonly spec?: { readonly selector?: Labels };
}

/** A ReplicaSet or a StatefulSet. */
export interface SelectorOwner extends ApiObject {
  readonly spec?: { readonly selector?: LabelSelector };
}

/**
 * The objects that say which pods belong together, by `namespace/name`; those of other namespaces than the pod's are ignored.
 */
export interface SpreadOwners {
  readonly services?: ReadonlyMap<string, LabelMapOwner>;
  readonly replicationControllers?: ReadonlyMap<string, LabelMapOwner>;
  readonly replicaSets?: ReadonlyMap<string, SelectorOwner>;
  readonly statefulSets?: ReadonlyMap<string, SelectorOwner>;
}

/** The constraints of the cluster; both are soft. Source: kubernetes v1.34 `podtopologyspread` `systemDefaultConstraints`. */
export const DEFAULT_SPREADS: readonly Spread[] = [
  { topologyKey: LABEL_HOSTNAME, maxSkew: 3, whenUnsatisfiable: 'ScheduleAnyway' },
  { topologyKey: LABEL_ZONE, maxSkew: 5, whenUnsatisfiable: 'ScheduleAnyway' },
];

// A Service without a selector, or with an empty one, says nothing about its pods.
const serviceLabels = ({ metadata }: Pod, services: SpreadOwners['services']): Labels => {
  const labels: Record<string, string> = {};
  for (const { metadata: own, spec } of services?.values() ?? []) {
    const matchLabels = spec?.selector ?? {};
    if (own.namespace === metadata.namespace && selects({ matchLabels }, metadata.labels))
      Object.assign(labels, matchLabels);
  }
  return labels;
};

const named = <T extends ApiObject>(
  owners: ReadonlyMap<string, T> | undefined,
  { metadata }: Pod,
  owner: OwnerReference,
): T | undefined => owners?.get(`${metadata.namespace}/${owner.name}`);

const equalities = (labels: Labels): readonly LabelSelectorRequirement[] =>
  Object.entries(labels).map(([key, value]) => ({ key, operator: 'In', values: [value] }));

const requirementsOf = (selector: LabelSelector | undefined): readonly LabelSelectorRequirement[] => [
  ...equalities(selector?.matchLabels ?? {}),
  ...(selector?.matchExpressions ?? []),
];

const ownerRequirements = (pod: Pod, owners: SpreadOwners): readonly LabelSelectorRequirement[] => {
  const owner = controllerOf(pod);
  if (!owner) return [];
  switch (`${owner.apiVersion} ${owner.kind}`) {
    case 'v1 ReplicationController':
      return equalities(named(owners.replicationControllers, pod, owner)?.spec?.selector ?? {});
    case 'apps/v1 ReplicaSet':
      return requirementsOf(named(owners.replicaSets, pod, owner)?.spec?.selector);
    case 'apps/v1 StatefulSet':
      return requirementsOf(named(owners.statefulSets, pod, owner)?.spec?.selector);
    default:
      return [];
  }
};

/**
 * Selects the pods that belong together with this one, by its Services and its controller; `undefined` if it has neither.
 * Source: kubernetes v1.34 scheduler plugins `helper.DefaultSelector`.
 */
export const defaultSpreadSelector = (pod: Pod, owners: SpreadOwners): LabelSelector | undefined => {
  const matchExpressions = [
    ...equalities(serviceLabels(pod, owners.services)),
    ...ownerRequirements(pod, owners),
  ];
  return matchExpressions.length === 0 ? undefined : { matchExpressions };
};
