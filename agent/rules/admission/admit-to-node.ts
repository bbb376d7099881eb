/** Whether a pod may run on its node, and which pods have to end for it. Source: kubernetes v1.34 pkg/kubelet/lifecycle `predicateAdmitHandler`. */
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import { type Known, known, NOT_KNOWN } from '../known.ts';
import { isCriticalPod } from '../pods/pod-kind.ts';
import {
  ADMITTED,
  type Rejection,
  rejection,
  UNEXPECTED_ADMISSION_ERROR,
  type Verdict,
} from '../pods/verdict.ts';
import { type Misfit, misfitOf, shortageRejection } from './node-filters.ts';
import { podsToPreempt } from './preemption.ts';

/** What admission looks at. */
export interface NodeAdmission {
  readonly pod: Pod;
  readonly node: Known<Node>;
  /** The active pods of the node without this one. */
  readonly others: readonly Pod[];
  /** The operating system, as Go names it. */
  readonly os: string;
  /** Why the resources of device plugins are unknown. */
  readonly pluginResourceError?: string;
}

/** The answer, and the pods that end first, in this order. */
export interface AdmissionDecision {
  readonly verdict: Verdict;
  readonly preempt: readonly Pod[];
}

/** The label of nodes and pods that names an operating system. */
const OS_LABEL = 'kubernetes.io/os';

const refused = (verdict: Rejection): AdmissionDecision => ({ verdict, preempt: [] });

/** Room for a critical pod is made, unless something else keeps it off the node. */
const recovered = (pod: Pod, { shortages, others }: Misfit, pods: readonly Pod[]): AdmissionDecision => {
  const [other] = others;
  if (other) return refused(other);
  const missing = shortages.map(({ resource, requested, used, capacity }) => ({
    resource,
    missing: requested - (capacity - used),
  }));
  const preempt = podsToPreempt(pod, pods, missing);
  if (!('error' in preempt)) return { verdict: ADMITTED, preempt };
  const message = `Unexpected error while attempting to recover from admission failure: ${preempt.error}`;
  return refused(rejection(UNEXPECTED_ADMISSION_ERROR, message));
};

const fitted = (pod: Pod, node: Node, pods: readonly Pod[]): AdmissionDecision => {
  const misfit = misfitOf(pod, node, pods);
  if (isCriticalPod(pod)) return recovered(pod, misfit, pods);
  const [first] = [...misfit.shortages.map(shortageRejection), ...misfit.others];
  return first ? refused(first) : { verdict: ADMITTED, preempt: [] };
};

/** The node as admission sees it: a label of another operating system does not count. */
const withOwnOs = (node: Node, os: string): Node => {
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
const unsupported = (pod: Pod, node: Node, os: string): Rejection | undefined => {
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

const decisionOn = (
  { pod, others, os, pluginResourceError }: NodeAdmission,
  node: Node,
): AdmissionDecision => {
  const never = unsupported(pod, node, os);
  if (never) return refused(never);
  if (pluginResourceError !== undefined)
    return refused(
      rejection(
        UNEXPECTED_ADMISSION_ERROR,
        `Update plugin resources failed due to ${pluginResourceError}, which is unexpected.`,
      ),
    );
  return fitted(pod, withOwnOs(node, os), others);
};

/**
 * Decides about a pod that is bound to this node. Only the first thing that keeps it off the node is told. Not known: the agent does not know
 * its Node yet, and the pod waits. A kubelet refuses it (`InvalidNodeInfo`).
 */
export const admitToNode = (given: NodeAdmission): Known<AdmissionDecision> =>
  given.node.isKnown ? known(decisionOn(given, given.node.value)) : NOT_KNOWN;
