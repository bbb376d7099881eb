/** Pod templates inside workloads, and PodTemplates. */
import type { PodSpec } from '../core.ts';
import type { ApiObject, ObjectMeta } from '../meta.ts';
import { defaultPodSpec } from './pod.ts';

export interface PodTemplateSpec {
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec?: PodSpec;
}

export interface PodTemplate extends ApiObject {
  readonly template?: PodTemplateSpec;
}

/** Fills in the defaults of a pod template. Those that only a pod has are left out, so that old templates stay as they are. */
export const defaultPodTemplateSpec = (template: PodTemplateSpec): PodTemplateSpec => ({
  metadata: {},
  ...template,
  spec: defaultPodSpec(template.spec ?? {}),
});

export const defaultPodTemplate = (object: PodTemplate): PodTemplate => ({
  ...object,
  template: defaultPodTemplateSpec(object.template ?? {}),
});
