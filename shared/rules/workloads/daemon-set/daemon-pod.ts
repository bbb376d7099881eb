/** The pods of a DaemonSet. Source: kubernetes v1.34 pkg/controller/daemon/util `daemonset_util.go`. */
import type { NodeAffinity } from '../../../kube/types/affinity.ts';
import type { Pod, PodSpec, Toleration } from '../../../kube/types/core.ts';
import {
  TAINT_DISK_PRESSURE,
  TAINT_MEMORY_PRESSURE,
  TAINT_NETWORK_UNAVAILABLE,
  TAINT_NOT_READY,
  TAINT_PID_PRESSURE,
  TAINT_UNREACHABLE,
  TAINT_UNSCHEDULABLE,
} from '../../../kube/types/well-known.ts';
import type { Workload } from '../../../kube/types/workloads.ts';
import { podFromTemplate } from '../children/pod-from-template.ts';
import { FAILURES, pinnedTo } from './daemon-place.ts';

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

const existing = (key: string, effect: 'NoExecute' | 'NoSchedule'): Toleration => ({
  key,
  operator: 'Exists',
  effect,
});

const ALWAYS: readonly Toleration[] = [
  existing(TAINT_NOT_READY, 'NoExecute'),
  existing(TAINT_UNREACHABLE, 'NoExecute'),
  existing(TAINT_DISK_PRESSURE, 'NoSchedule'),
  existing(TAINT_MEMORY_PRESSURE, 'NoSchedule'),
  existing(TAINT_PID_PRESSURE, 'NoSchedule'),
  existing(TAINT_UNSCHEDULABLE, 'NoSchedule'),
];
const ON_HOST_NETWORK: readonly Toleration[] = [...ALWAYS, existing(TAINT_NETWORK_UNAVAILABLE, 'NoSchedule')];

const isAlike = (a: Toleration, b: Toleration): boolean =>
  a.key === b.key && a.effect === b.effect && (a.operator ?? '') === b.operator && (a.value ?? '') === '';

/** The tolerations of a daemon pod: those of the template, of which one for the same taint is replaced, then the others (W-108). */
export const daemonTolerations = (spec: PodSpec): readonly Toleration[] => {
  const added = spec['hostNetwork'] === true ? ON_HOST_NETWORK : ALWAYS;
  const own = spec.tolerations ?? [];
  const given = own.map((toleration) => added.find((one) => isAlike(toleration, one)) ?? toleration);
  return [...given, ...added.filter((one) => !given.includes(one))];
};

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
