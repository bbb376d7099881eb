/** The StorageClass of claims that name none. Source: kubernetes v1.34 pkg/volume/util `GetDefaultClass`. */
import { ownMember } from '../../kube/json/own-member.ts';
import type { PersistentVolumeClaim, StorageClass } from '../../kube/types/storage.ts';

const MARKS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
] as const;

const isDefault = ({ metadata }: StorageClass): boolean =>
  MARKS.some((mark) => ownMember(metadata.annotations, mark) === 'true');

const newestFirst = (a: StorageClass, b: StorageClass): number => {
  const [left, right] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  if (left !== right) return left > right ? -1 : 1;
  return a.metadata.name < b.metadata.name ? -1 : 1;
};

/** The newest default class; of equally old ones the first by name. */
export const defaultClassOf = (classes: Iterable<StorageClass>): StorageClass | undefined =>
  [...classes].filter(isDefault).toSorted(newestFirst)[0];

/** Whether the claim says which class it wants; the class may be the empty one, for volumes without a class. */
export const namesClass = ({ metadata, spec }: PersistentVolumeClaim): boolean =>
  ownMember(metadata.annotations, 'volume.beta.kubernetes.io/storage-class') !== undefined ||
  spec?.storageClassName !== undefined;

/** The claim with the default class, if it names none and there is one; else the same one. */
export const withDefaultClass = (
  claim: PersistentVolumeClaim,
  defaultClass: StorageClass | undefined,
): PersistentVolumeClaim =>
  defaultClass === undefined || namesClass(claim)
    ? claim
    : { ...claim, spec: { ...claim.spec, storageClassName: defaultClass.metadata.name } };
