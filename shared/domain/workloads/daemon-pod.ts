/** The pods of a DaemonSet. Source: kubernetes v1.34 pkg/controller/daemon/util `daemonset_util.go`. */
import type { Pod, PodSpec } from '../../api/core.ts';
import type { Workload } from '../../api/defaults/workload.ts';
import type { NodeAffinity } from '../../api/validation/node-affinity.ts';
import { daemonTolerations } from './daemon-node.ts';
import { FAILURES, pinnedTo } from './daemon-place.ts';
import { podFromTemplate } from './pod-from-template.ts';

/** Label of a pod with the hash of its revision. */
export const HASH_LABEL = 'controller-revision-hash';
const GENERATION_LABEL = 'pod-template-generation';
/** Annotation of a DaemonSet that counts the changes of its template. */
export const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

/** The node for which a daemon pod is made; the scheduler binds it there. */
export interface NewDaemon {
  readonly node: string;
  /** Pods before it that failed there one after the other. */
  readonly failures: number;
}

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

/** The hash of the revision that a pod was made from. */
export const hashOfPod = ({ metadata: { labels } }: Pod): string => labels?.[HASH_LABEL] ?? '';
