/** Labels in the domains of Kubernetes that a node may set on itself. Source: kubernetes v1.34 `kubelet/pkg/apis/well_known_labels.go`. */

/** Sorted. */
export const KUBELET_LABELS: readonly string[] = [
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'kubernetes.io/arch',
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
];

/** Domains that belong to the kubelet, with the domains below them. */
export const KUBELET_DOMAINS: readonly string[] = ['kubelet.kubernetes.io', 'node.kubernetes.io'];

const KUBERNETES_DOMAINS: readonly string[] = ['kubernetes.io', 'k8s.io'];

const domainOf = (key: string): string => (key.includes('/') ? key.slice(0, key.indexOf('/')) : '');

/** Whether the label's key is in one of the domains, or below it. */
export const isLabelWithin = (key: string, domains: readonly string[]): boolean => {
  const domain = domainOf(key);
  return domains.some((one) => domain === one || domain.endsWith(`.${one}`));
};

/** Whether only Kubernetes gives the label its meaning, and did not leave it to the kubelet. */
export const isForeignKubernetesLabel = (key: string): boolean =>
  isLabelWithin(key, KUBERNETES_DOMAINS) &&
  !KUBELET_LABELS.includes(key) &&
  !isLabelWithin(key, KUBELET_DOMAINS);
