/** Which objects belong to an owner. Source: kubernetes v1.34 controller `BaseControllerRefManager.ClaimObject`. */

import { selects } from '../../../kube/selector/object-selector.ts';
import type { ApiObject, LabelSelector, OwnerReference } from '../../../kube/types/meta.ts';
import { controllerOf } from '../../../kube/values/controller-of.ts';

/** What an owner does with an object: `ignore` says that the object is none of its business. */
export type ChildClaim = 'keep' | 'adopt' | 'release' | 'ignore';

const isDeleting = ({ metadata }: ApiObject): boolean => metadata.deletionTimestamp !== undefined;

const orphanClaim = (owner: ApiObject, child: ApiObject, isSelected: boolean): ChildClaim => {
  if (!isSelected || isDeleting(owner) || isDeleting(child)) return 'ignore';
  return child.metadata.namespace === owner.metadata.namespace ? 'adopt' : 'ignore';
};

/** Decides about one object by its controller, its labels and the owner's selector (W-41 to W-43). */
export const claimChild = (
  owner: ApiObject,
  selector: LabelSelector | undefined,
  child: ApiObject,
): ChildClaim => {
  const isSelected = selects(selector, child.metadata.labels);
  const controller = controllerOf(child);
  if (!controller) return orphanClaim(owner, child, isSelected);
  if (controller.uid !== owner.metadata.uid) return 'ignore';
  if (isSelected) return 'keep';
  return isDeleting(owner) ? 'ignore' : 'release';
};

/** The reference of a child to the owner that controls it. */
export const controllerReference = ({ apiVersion, kind, metadata }: ApiObject): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid ?? '',
  controller: true,
  blockOwnerDeletion: true,
});

const withReferences = <T extends ApiObject>(child: T, references: readonly OwnerReference[]): T => {
  const { ownerReferences: _before, ...metadata } = child.metadata;
  return {
    ...child,
    metadata: references.length === 0 ? metadata : { ...metadata, ownerReferences: references },
  };
};

const otherReferences = ({ metadata }: ApiObject, uid: string | undefined): readonly OwnerReference[] =>
  (metadata.ownerReferences ?? []).filter((reference) => reference.uid !== uid);

/** The child with the owner as its controller (W-44). */
export const adopted = <T extends ApiObject>(owner: ApiObject, child: T): T =>
  withReferences(child, [...otherReferences(child, owner.metadata.uid), controllerReference(owner)]);

/** The child without any reference to the owner (W-44). */
export const released = <T extends ApiObject>(owner: ApiObject, child: T): T =>
  withReferences(child, otherReferences(child, owner.metadata.uid));

/** Objects sorted by what their owner does with them. */
export interface ClaimedChildren<T> {
  readonly keep: readonly T[];
  readonly adopt: readonly T[];
  readonly release: readonly T[];
}

/** Sorts the objects that an owner might have. */
export const claimChildren = <T extends ApiObject>(
  owner: ApiObject,
  selector: LabelSelector | undefined,
  children: readonly T[],
): ClaimedChildren<T> => {
  const claims = new Map(children.map((child) => [child, claimChild(owner, selector, child)]));
  const having = (wanted: ChildClaim): readonly T[] =>
    children.filter((child) => claims.get(child) === wanted);
  return { keep: having('keep'), adopt: having('adopt'), release: having('release') };
};
