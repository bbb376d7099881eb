import type { Pod, PodSpec } from '../core.ts';
import { deepEqual } from '../deep-equal.ts';
import type { FieldError } from '../field-error.ts';
import { forbiddenField, invalidValue } from '../field-error.ts';
import type { Container } from './container.ts';
import { validateCommonMetadata, validateMetadata, validateMetadataUpdate } from './metadata.ts';
import { validatePodSpec } from './pod-spec.ts';
import { validateTolerationsUpdate } from './tolerations.ts';

const containersOf = (spec: PodSpec, field: 'containers' | 'initContainers'): readonly Container[] =>
  (spec[field] ?? []) as readonly Container[];

/** Rules for a new Pod, after its defaults were filled in. Source: core validation v1.34 `ValidatePodCreate`. */
export const validatePod = (pod: Pod): readonly FieldError[] => [
  ...validateMetadata(pod.metadata, { namespaced: true }),
  ...validatePodSpec(pod.spec),
];

const MUTABLE_TEXT =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

const withoutImages = (containers: readonly Container[]): readonly Container[] =>
  containers.map(({ image: _image, ...rest }) => rest);

const fixedPart = (spec: PodSpec): unknown => {
  const {
    tolerations: _tolerations,
    activeDeadlineSeconds: _deadline,
    schedulingGates: _gates,
    ...rest
  } = spec;
  return {
    ...rest,
    containers: withoutImages(containersOf(spec, 'containers')),
    initContainers: withoutImages(containersOf(spec, 'initContainers')),
  };
};

const validateDeadlineUpdate = (after: PodSpec, before: PodSpec): readonly FieldError[] => {
  const field = 'spec.activeDeadlineSeconds';
  const [now, was] = [after['activeDeadlineSeconds'], before['activeDeadlineSeconds']];
  if (typeof was !== 'number') return [];
  if (typeof now !== 'number')
    return [invalidValue(field, null, 'must not update from a positive integer to nil value')];
  return now > was ? [invalidValue(field, now, 'must be less than or equal to previous value')] : [];
};

interface Gate {
  readonly name?: string;
}

const gatesOf = (spec: PodSpec): readonly Gate[] => (spec['schedulingGates'] ?? []) as readonly Gate[];

const validateGatesUpdate = (after: PodSpec, before: PodSpec): readonly FieldError[] => {
  const known = new Set(gatesOf(before).map(({ name }) => name));
  return gatesOf(after)
    .filter(({ name }) => !known.has(name))
    .map(({ name = '' }) =>
      forbiddenField(
        'spec.schedulingGates',
        `only deletion is allowed, but found new scheduling gate '${name}'`,
      ),
    );
};

const LISTS = ['containers', 'initContainers'] as const;

const validateSpecUpdate = (after: PodSpec, before: PodSpec): readonly FieldError[] => {
  const own = validatePodSpec(after);
  for (const field of LISTS)
    if (containersOf(after, field).length !== containersOf(before, field).length)
      return [...own, forbiddenField(`spec.${field}`, 'pod updates may not add or remove containers')];
  const deadline = validateDeadlineUpdate(after, before);
  if (deadline.length > 0) return [...own, ...deadline];
  return [
    ...own,
    ...validateTolerationsUpdate(after.tolerations, before.tolerations),
    ...validateGatesUpdate(after, before),
    ...(deepEqual(fixedPart(after), fixedPart(before)) ? [] : [forbiddenField('spec', MUTABLE_TEXT)]),
  ];
};

/** Rules for a changed Pod: nearly all of its spec is fixed. Source: core validation v1.34 `ValidatePodUpdate`. */
export const validatePodUpdate = (after: Pod, before: Pod): readonly FieldError[] => [
  ...validateCommonMetadata(after.metadata, before.metadata),
  ...validateMetadataUpdate(after.metadata, before.metadata),
  ...validateSpecUpdate(after.spec, before.spec),
];
