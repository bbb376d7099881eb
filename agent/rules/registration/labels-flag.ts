/** Which labels a node may give itself by `--node-labels`. Source: kubernetes v1.34 cmd/kubelet/app/options. */
import { byText } from '../../../shared/kube/text/compare-text.ts';
import {
  isForeignKubernetesLabel,
  KUBELET_DOMAINS,
  KUBELET_LABELS,
} from '../../../shared/kube/types/kubelet-labels.ts';
import { labelValueFaults, qualifiedNameFaults } from '../../../shared/kube/values/names.ts';

type Labels = Readonly<Record<string, string>>;

const unknownFault = (keys: readonly string[]): string =>
  `unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [${keys.join(' ')}]\n` +
  `--node-labels in the 'kubernetes.io' namespace must begin with an allowed prefix (${KUBELET_DOMAINS.join(', ')}) ` +
  `or be in the specifically allowed set (${KUBELET_LABELS.join(', ')})`;

/** Faults by the key or value that has them, which is what the kubelet prints. */
const syntaxFaults = (labels: Labels): ReadonlyMap<string, readonly string[]> => {
  const faults = new Map<string, readonly string[]>();
  const add = (text: string, found: readonly string[]): void => {
    if (found.length > 0) faults.set(text, [...(faults.get(text) ?? []), ...found]);
  };
  for (const [key, value] of Object.entries(labels)) {
    add(key, qualifiedNameFaults(key));
    add(value, labelValueFaults(value));
  }
  return faults;
};

/** Why the agent does not start with these labels; `undefined` if it may. */
export const nodeLabelsFault = (labels: Labels): string | undefined => {
  const unknown = Object.keys(labels).filter(isForeignKubernetesLabel).sort(byText);
  if (unknown.length > 0) return unknownFault(unknown);
  const faults = [...syntaxFaults(labels)].map(([text, found]) => `'${text}' - ${found.join(', ')}`);
  return faults.length > 0 ? `invalid node labels: ${faults.join('; ')}` : undefined;
};
