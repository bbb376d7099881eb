import type { PodTemplate, PodTemplateSpec } from '../types/workloads.ts';
import { defaultPodSpec } from './pod.ts';

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
