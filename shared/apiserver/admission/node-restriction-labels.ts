/**
 * Labels that a node may set on itself. Source: kubernetes v1.34 `plugin/pkg/admission/noderestriction`,
 * `kubelet/pkg/apis/well_known_labels.go`.
 */

const ALLOWED_KEYS: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
]);

const isWithin = (namespace: string, domain: string): boolean =>
  namespace === domain || namespace.endsWith(`.${domain}`);

const isForbidden = (key: string): boolean => {
  const namespace = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  if (isWithin(namespace, 'node-restriction.kubernetes.io')) return true;
  if (ALLOWED_KEYS.has(key)) return false;
  if (isWithin(namespace, 'kubelet.kubernetes.io') || isWithin(namespace, 'node.kubernetes.io')) return false;
  return isWithin(namespace, 'kubernetes.io') || isWithin(namespace, 'k8s.io');
};

/** The keys among `keys` that only administrators may set, sorted. */
export const forbiddenLabels = (keys: readonly string[]): readonly string[] =>
  keys.filter(isForbidden).sort((a, b) => (a < b ? -1 : 1));
