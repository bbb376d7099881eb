/** A Pod's template in another object. */
import type { PodSpec } from '../core.ts';
import type { ApiObject, ObjectMeta } from '../meta.ts';
import { defaultPod } from './pod.ts';

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

// Only in a Pod is a limit without a request also the request.
const withOwnResources = (after: PodSpec, given: PodSpec, list: string): PodSpec => {
  const [containers, own] = [after[list], given[list]];
  if (!Array.isArray(containers) || !Array.isArray(own)) return after;
  const restored = containers.map((container: unknown, index) => ({
    ...fieldsOf(container),
    resources: fieldsOf(own[index])['resources'] ?? {},
  }));
  return { ...after, [list]: restored };
};

/** The template with the values that the API fills in. Source: core defaults v1.34 `SetDefaults_PodSpec`. */
export const defaultPodTemplateSpec = (template: PodTemplateSpec): PodTemplateSpec => {
  const given = template.spec ?? {};
  const { spec } = defaultPod({ apiVersion: 'v1', kind: 'Pod', metadata: { name: '' }, spec: given });
  const own = withOwnResources(spec, given, 'containers');
  return { metadata: {}, ...template, spec: withOwnResources(own, given, 'initContainers') };
};

export const defaultPodTemplate = (object: PodTemplate): PodTemplate => ({
  ...object,
  template: defaultPodTemplateSpec(object.template ?? {}),
});
