/** Volumes that a provisioner would make. Source: kubernetes v1.34 scheduler `volumebinding` `checkVolumeProvisions`. */

import { ownMember } from '../../../kube/json/own-member.ts';
import type { TopologySelectorTerm } from '../../../kube/types/affinity.ts';
import type { Node } from '../../../kube/types/core.ts';
import type { PersistentVolumeClaim, StorageClass } from '../../../kube/types/storage.ts';
import type { Storage } from '../pods/storage.ts';
import { classOf } from '../pods/storage.ts';

const meets = ({ matchLabelExpressions = [] }: TopologySelectorTerm, { metadata }: Node): boolean =>
  matchLabelExpressions.length > 0 &&
  matchLabelExpressions.every(({ key = '', values = [] }) => {
    const label = ownMember(metadata.labels, key);
    return label !== undefined && values.includes(label);
  });

/** Whether the class allows volumes that this node can use. Without terms it allows all. */
const allows = ({ allowedTopologies = [] }: StorageClass, node: Node): boolean =>
  allowedTopologies.length === 0 || allowedTopologies.some((term) => meets(term, node));

/** Whether a volume for the claim can be made for this node. The capacity that drivers report is not looked at. */
export const isProvisionable = (claim: PersistentVolumeClaim, node: Node, storage: Storage): boolean => {
  const storageClass = classOf(claim, storage);
  const provisioner = storageClass?.provisioner ?? '';
  if (!storageClass || provisioner === '' || provisioner === 'kubernetes.io/no-provisioner') return false;
  return allows(storageClass, node);
};
