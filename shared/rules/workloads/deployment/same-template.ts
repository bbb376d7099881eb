/** Whether a ReplicaSet has its Deployment's template. Source: kubernetes v1.34 `deployment_util.go` `EqualIgnoreHash`. */

import { defaultPodTemplateSpec } from '../../../kube/defaults/pod-template.ts';
import { deepEqual } from '../../../kube/json/deep-equal.ts';
import type { PodTemplateSpec, Workload } from '../../../kube/types/workloads.ts';

/** The label of a ReplicaSet, its selector and its pods that tells them from other ReplicaSets of the Deployment. */
export const HASH_LABEL = 'pod-template-hash';

/** The template of a workload as the API answers it: with the defaults of today, whichever version has stored it. */
export const templateOf = ({ spec }: Workload): PodTemplateSpec =>
  defaultPodTemplateSpec(spec?.template ?? {});

/** The template without the label that its hash has. */
export const withoutHash = (template: PodTemplateSpec): PodTemplateSpec => {
  const { [HASH_LABEL]: _hash, ...labels } = template.metadata?.labels ?? {};
  return { ...template, metadata: { ...template.metadata, labels } };
};

/** Whether a ReplicaSet has the Deployment's template exactly as it is written, apart from the label with its hash (W-61). */
export const hasTemplate = (deployment: Workload, set: Workload): boolean =>
  deepEqual(withoutHash(templateOf(set)), withoutHash(templateOf(deployment)));
