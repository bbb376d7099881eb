/** Warnings about deprecated node labels. Source: kubernetes v1.34 `pkg/api/node/util.go`. */

const NEWER: Readonly<Record<string, readonly [since: string, newer: string]>> = {
  'beta.kubernetes.io/arch': ['v1.14', 'kubernetes.io/arch'],
  'beta.kubernetes.io/os': ['v1.14', 'kubernetes.io/os'],
  'failure-domain.beta.kubernetes.io/region': ['v1.17', 'topology.kubernetes.io/region'],
  'failure-domain.beta.kubernetes.io/zone': ['v1.17', 'topology.kubernetes.io/zone'],
  'beta.kubernetes.io/instance-type': ['v1.17', 'node.kubernetes.io/instance-type'],
};

const deprecation = (label: string): string | undefined => {
  const found = Object.hasOwn(NEWER, label) ? NEWER[label] : undefined;
  return found && `deprecated since ${found[0]}; use "${found[1]}" instead`;
};

/** Warnings about the labels of a node selector, in their order. Kubernetes' order is random. */
export const selectorWarnings = (field: string, labels: Readonly<Record<string, string>> = {}) =>
  Object.keys(labels)
    .toSorted()
    .flatMap((label) => {
      const why = deprecation(label);
      return why === undefined ? [] : [`${field}[${label}]: ${why}`];
    });

/** Warnings about a label that is the value of `field`. */
export const labelWarnings = (field: string, label = ''): readonly string[] => {
  const why = deprecation(label);
  return why === undefined ? [] : [`${field}: ${label} is ${why}`];
};
