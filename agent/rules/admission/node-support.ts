/** What no other pod's end could change: what the node supports. Source: kubernetes v1.34 pkg/kubelet/lifecycle `predicate.go`. */
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import { type Rejection, rejection } from '../pods/verdict.ts';

/** The label of nodes and pods that names an operating system. */
const OS_LABEL = 'kubernetes.io/os';

/** The node as admission sees it: a label of another operating system does not count. */
export const withOwnOs = (node: Node, os: string): Node => {
  const { labels = {} } = node.metadata;
  if (Object.keys(labels).length === 0 || labels[OS_LABEL] === os) return node;
  return { ...node, metadata: { ...node.metadata, labels: { ...labels, [OS_LABEL]: os } } };
};

const isForOtherOs = ({ spec }: Pod, os: string): boolean => {
  const wanted = spec['os'] as { readonly name?: string } | null | undefined;
  return wanted != null && wanted.name !== os;
};

const asksForStrictGroups = ({ spec }: Pod): boolean => {
  const context = (spec['securityContext'] ?? {}) as { readonly supplementalGroupsPolicy?: string };
  return context.supplementalGroupsPolicy === 'Strict';
};

const hasStrictGroups = ({ status }: Node): boolean => {
  const features = (status?.['features'] ?? {}) as { readonly supplementalGroupsPolicy?: boolean };
  return features.supplementalGroupsPolicy === true;
};

/** Why the node, whose operating system is `os`, can never run the pod; `undefined` if it can. */
export const unsupported = (pod: Pod, node: Node, os: string): Rejection | undefined => {
  if ((pod.metadata.labels?.[OS_LABEL] ?? os) !== os)
    return rejection(
      'PodOSSelectorNodeLabelDoesNotMatch',
      "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
    );
  if (isForOtherOs(pod, os))
    return rejection('PodOSNotSupported', "Failed to admit pod as the OS field doesn't match node OS");
  if (asksForStrictGroups(pod) && !hasStrictGroups(node))
    return rejection(
      'SupplementalGroupsPolicyNotSupported',
      'SupplementalGroupsPolicy=Strict is not supported in this node',
    );
  return undefined;
};
