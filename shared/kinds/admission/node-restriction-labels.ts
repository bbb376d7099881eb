/** Labels that a node may set on itself. Source: kubernetes v1.34 `plugin/pkg/admission/noderestriction`. */
import { isForeignKubernetesLabel, isLabelWithin } from '../../kube/types/kubelet-labels.ts';

const isForbidden = (key: string): boolean =>
  isLabelWithin(key, ['node-restriction.kubernetes.io']) || isForeignKubernetesLabel(key);

/** The keys among `keys` that only administrators may set, sorted. */
export const forbiddenLabels = (keys: readonly string[]): readonly string[] =>
  keys.filter(isForbidden).sort((a, b) => (a < b ? -1 : 1));
