/** Says in an Event that the owner of an object lives in another namespace, where it cannot be its owner. */
import type { OwnerReference } from '../../../shared/kube/types/meta.ts';
import { NODE_LEASE_NAMESPACE } from '../../../shared/kube/types/well-known.ts';
import { type LiveRow, liveRow } from '../../../shared/ports/store/rows.ts';
import { IMMORTAL_NAMESPACES } from '../../../shared/rules/owners/collect.ts';
import { isNamespacedOwner, placeOfOwner } from '../../../shared/rules/owners/stored-kinds.ts';
import { inParallel } from '../../../shared/store/turns/in-parallel.ts';
import type { CollectorDeps } from '../deps.ts';
import { invalidNamespace } from './events.ts';
import type { JudgedOwner } from './owners.ts';

/** Namespaces in which an owner is looked for: an object that nobody owns is rare, and each costs a read. */
const MOST_NAMESPACES = 100;
const READS_AT_ONCE = 8;
/** They exist before anybody has stored them. */
const BUILT_IN = [...IMMORTAL_NAMESPACES, NODE_LEASE_NAMESPACE];

const isInAnotherNamespace = async (
  { objects }: CollectorDeps,
  owner: OwnerReference,
  own: string,
): Promise<boolean> => {
  const { rows } = await objects.page({ resource: 'namespaces', namespace: '', limit: MOST_NAMESPACES });
  const others = new Set([...BUILT_IN, ...rows.map(({ key }) => key.name)]);
  others.delete(own);
  const found = await inParallel([...others], READS_AT_ONCE, async (namespace) => {
    const place = placeOfOwner(owner, namespace);
    return place && liveRow(await objects.read(place))?.uid === owner.uid;
  });
  return found.includes(true);
};

/** Whether the place of the owner shows that it was there, so that it need not be looked for elsewhere. */
const wasHere = (owners: readonly JudgedOwner[], uid: string): boolean =>
  owners.some((owner) => owner.uid === uid && (owner.state !== 'dangling' || owner.found?.uid === uid));

/** Records an Event for each owner that has a namespace and is in another one than the object. */
export const reportForeignOwners = async (
  deps: CollectorDeps,
  { key, uid, object }: LiveRow,
  owners: readonly JudgedOwner[],
): Promise<void> => {
  for (const owner of object.metadata.ownerReferences ?? []) {
    if (!isNamespacedOwner(owner) || (key.namespace !== '' && wasHere(owners, owner.uid))) continue;
    if (!(await isInAnotherNamespace(deps, owner, key.namespace))) continue;
    const { kind, apiVersion } = object;
    const target = { kind, apiVersion, namespace: key.namespace, name: key.name, uid };
    await deps.recorder.record(target, invalidNamespace(owner, key.namespace), owner.uid);
  }
};
