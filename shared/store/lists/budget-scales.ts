/** Reads what a PodDisruptionBudget's status is computed from besides its pods: how many replicas their owners want. */

import { ownMember } from '../../kube/json/own-member.ts';
import type { Pod } from '../../kube/types/core.ts';
import type { ApiObject, OwnerReference } from '../../kube/types/meta.ts';
import type { PodDisruptionBudget } from '../../kube/types/policy.ts';
import { controllerOf } from '../../kube/values/controller-of.ts';
import type { ObjectStore } from '../../ports/store/object-store.ts';
import { liveRow } from '../../ports/store/rows.ts';
import { needsScale, type OwnerScale, type OwnerScales } from '../../rules/budgets/disruption-budget.ts';

/** Resources with `scale`, by API group and kind. Source: kubernetes v1.34 pkg/controller/disruption `finders`. */
const SCALED: Readonly<Record<string, string>> = {
  'apps/ReplicaSet': 'replicasets',
  'apps/StatefulSet': 'statefulsets',
  'apps/Deployment': 'deployments',
  '/ReplicationController': 'replicationcontrollers',
};

/** Kinds without `scale` that may own pods. */
const UNSCALED: Readonly<Record<string, string>> = {
  'apps/DaemonSet': 'daemonsets.apps',
  'batch/Job': 'jobs.batch',
};

interface Scaled extends ApiObject {
  readonly spec?: { readonly replicas?: number };
}

type Objects = Pick<ObjectStore, 'read'>;

const groupKind = ({ apiVersion, kind }: OwnerReference): string =>
  `${apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''}/${kind}`;

const readOwner = async (
  owner: OwnerReference,
  namespace: string,
  objects: Objects,
): Promise<Scaled | undefined> => {
  const resource = ownMember(SCALED, groupKind(owner));
  if (resource === undefined) return undefined;
  const row = liveRow(await objects.read({ resource, namespace, name: owner.name }));
  return row?.uid === owner.uid ? row.object : undefined;
};

const faultOf = (owner: OwnerReference): OwnerScale | undefined => {
  const unscaled = ownMember(UNSCALED, groupKind(owner));
  if (unscaled !== undefined) return { fault: `${unscaled} does not implement the scale subresource` };
  if (ownMember(SCALED, groupKind(owner)) !== undefined) return undefined;
  return { fault: `no matches for kind "${owner.kind}" in version "${owner.apiVersion}"` };
};

/** The scale of a pod's owner, or of the Deployment behind it; `undefined` if one of them does not exist. */
const readScale = async (
  owner: OwnerReference,
  namespace: string,
  objects: Objects,
): Promise<OwnerScale | undefined> => {
  const fault = faultOf(owner);
  if (fault) return fault;
  const found = await readOwner(owner, namespace, objects);
  const above = found && controllerOf(found);
  if (!found || above?.kind !== 'Deployment') return found && { replicas: found.spec?.replicas ?? 1 };
  const deployment = await readOwner(above, namespace, objects);
  return deployment && { replicas: deployment.spec?.replicas ?? 1, of: above.uid };
};

/** The scales of the owners of these pods, by the owner's uid; none if the budget needs none. */
export const readScales = async (
  objects: Objects,
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
): Promise<OwnerScales> => {
  const owners = new Map(
    needsScale(budget)
      ? pods.flatMap((pod) => controllerOf(pod) ?? []).map((owner) => [owner.uid, owner])
      : [],
  );
  const scales = await Promise.all(
    [...owners.values()].map(async (owner): Promise<[string, OwnerScale][]> => {
      const scale = await readScale(owner, budget.metadata.namespace ?? '', objects);
      return scale ? [[owner.uid, scale]] : [];
    }),
  );
  return new Map(scales.flat());
};
