/** The pods of a DaemonSet. Source: kubernetes v1.34 pkg/controller/daemon/util `daemonset_util.go`. */
import type { Pod, PodSpec } from '../../api/core.ts';
import type { Workload } from '../../api/defaults/workload.ts';
import type { NodeAffinity } from '../../api/validation/node-affinity.ts';
import { schedulingSpec } from '../scheduling/scheduling-spec.ts';
import { daemonTolerations } from './daemon-node.ts';
import { podFromTemplate } from './pod-from-template.ts';

/** Label of a pod with the hash of its revision. */
export const HASH_LABEL = 'controller-revision-hash';
const GENERATION_LABEL = 'pod-template-generation';
/** Annotation of a DaemonSet that counts the changes of its template. */
export const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';
/** Annotation of a pod: how many pods before it failed on the node soon after they were created, one after the other. */
export const FAILURES = 'rollcall.dev/failed-daemon-pods';

/** The node for which a daemon pod is made; the scheduler binds it there. */
export interface NewDaemon {
  readonly node: string;
  /** Pods before it that failed there one after the other. */
  readonly failures: number;
}

const pinnedTo = (
  node: string,
): NonNullable<NodeAffinity['requiredDuringSchedulingIgnoredDuringExecution']> => ({
  nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }],
});

/** The spec of a pod for one node. What the template requires of nodes is replaced: the controller has judged the node by it. */
const specFor = (spec: PodSpec, node: string): PodSpec => {
  const { affinity } = spec as { readonly affinity?: { readonly nodeAffinity?: NodeAffinity } };
  const nodeAffinity = {
    ...affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: pinnedTo(node),
  };
  return { ...spec, affinity: { ...affinity, nodeAffinity }, tolerations: daemonTolerations(spec) };
};

/** A new pod for a node, without a name (W-111). `hash`: of the present revision. */
export const daemonPod = (owner: Workload, hash: string, { node, failures }: NewDaemon): Pod => {
  const template = owner.spec?.template;
  const generation = owner.metadata.annotations?.[TEMPLATE_GENERATION];
  const { labels, annotations } = template?.metadata ?? {};
  return podFromTemplate(owner, {
    ...template,
    metadata: {
      ...template?.metadata,
      labels: {
        ...labels,
        ...(generation === undefined ? {} : { [GENERATION_LABEL]: generation }),
        [HASH_LABEL]: hash,
      },
      ...(failures === 0 ? {} : { annotations: { ...annotations, [FAILURES]: String(failures) } }),
    },
    spec: specFor(template?.spec ?? {}, node),
  });
};

/** The node where a pod runs or is to run: the one that it is bound to, or pinned to (W-112). */
export const targetNode = (pod: Pod): string | undefined => {
  if (pod.spec.nodeName) return pod.spec.nodeName;
  const { affinity } = schedulingSpec(pod);
  const terms =
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  for (const { key, operator, values = [] } of terms.flatMap(({ matchFields = [] }) => matchFields))
    if (key === 'metadata.name' && operator === 'In' && values.length === 1) return values[0];
  return undefined;
};

/** The hash of the revision that a pod was made from. */
export const hashOfPod = ({ metadata: { labels } }: Pod): string => labels?.[HASH_LABEL] ?? '';

/** How many pods failed on the node before this one. */
export const failuresBefore = ({ metadata: { annotations } }: Pod): number => {
  const failures = Number(annotations?.[FAILURES] ?? 0);
  return Number.isSafeInteger(failures) && failures > 0 ? failures : 0;
};
