/** Pod templates inside workloads, and PodTemplates. */
import type { PodSpec } from '../core.ts';
import type { ApiObject, ObjectMeta } from '../meta.ts';
import { defaultPodSpec } from './pod.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface PodTemplateSpec {
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec?: PodSpec;
}

export interface PodTemplate extends ApiObject {
  readonly template?: PodTemplateSpec;
}

const fieldsOf = (value: unknown): Fields =>
  (typeof value === 'object' && value !== null ? value : {}) as Fields;

// Restores the containers' own resources: a missing request becomes equal to the limit in a Pod only, not in a
// template.
const withOwnResources = (after: PodSpec, given: PodSpec, list: string): PodSpec => {
  const [containers, own] = [after[list], given[list]];
  if (!Array.isArray(containers) || !Array.isArray(own)) return after;
  const restored = containers.map((container: unknown, index) => ({
    ...fieldsOf(container),
    resources: fieldsOf(own[index])['resources'] ?? {},
  }));
  return { ...after, [list]: restored };
};

/** Fills in the defaults of a pod template. Source: core defaults v1.34 `SetDefaults_PodSpec`. */
export const defaultPodTemplateSpec = (template: PodTemplateSpec): PodTemplateSpec => {
  const given = template.spec ?? {};
  const spec = defaultPodSpec(given);
  const own = withOwnResources(spec, given, 'containers');
  return { metadata: {}, ...template, spec: withOwnResources(own, given, 'initContainers') };
};

export const defaultPodTemplate = (object: PodTemplate): PodTemplate => ({
  ...object,
  template: defaultPodTemplateSpec(object.template ?? {}),
});
