import type { FieldError } from '../../kube/errors/field-error.ts';
import { forbiddenField, invalidValue } from '../../kube/errors/field-error.ts';
import { deepEqual } from '../../kube/json/deep-equal.ts';
import { unifiedDiff } from '../../kube/text/unified-diff.ts';
import type { Pod, PodSpec } from '../../kube/types/core.ts';
import type { Container } from '../containers/container.ts';
import { printedPodSpec } from '../containers/internal-pod-spec.ts';
import { validateCommonMetadata, validateMetadata, validateMetadataUpdate } from '../fields/metadata.ts';
import { validatePodSpec } from '../pod-spec/pod-spec.ts';
import { validateTolerationsUpdate } from '../pod-spec/tolerations.ts';

const containersOf = (spec: PodSpec, field: 'containers' | 'initContainers'): readonly Container[] =>
  (spec[field] ?? []) as readonly Container[];

interface Gate {
  readonly name?: string;
}

const gatesOf = (spec: PodSpec): readonly Gate[] => (spec['schedulingGates'] ?? []) as readonly Gate[];

/** The annotation of the API's copy of a static pod. */
export const MIRROR = 'kubernetes.io/config.mirror';

const mirrorFaults = ({ metadata, spec }: Pod): readonly FieldError[] => {
  const value = metadata.annotations?.[MIRROR];
  return value === undefined || spec.nodeName
    ? []
    : [
        invalidValue(
          `metadata.annotations[${MIRROR}]`,
          value,
          'must set spec.nodeName if mirror pod annotation is set',
        ),
      ];
};

/**
 * The mirror annotation of an existing Pod is immutable. Source: core validation v1.34
 * `ValidatePodSpecificAnnotationUpdates`.
 */
export const validateMirrorUpdate = (after: Pod, before: Pod): readonly FieldError[] => {
  const [now, was] = [after.metadata.annotations?.[MIRROR], before.metadata.annotations?.[MIRROR]];
  if (now === was) return [];
  const change = was === undefined ? 'add' : 'remove or update';
  return [forbiddenField(`metadata.annotations[${MIRROR}]`, `may not ${change} mirror pod annotation`)];
};

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

const isInt32 = (text: string): boolean =>
  /^(?:0|-?[1-9]\d*)$/.test(text) && Number(text) >= -(2 ** 31) && Number(text) < 2 ** 31;

const costFaults = ({ metadata }: Pod): readonly FieldError[] => {
  const cost = metadata.annotations?.[DELETION_COST];
  return cost === undefined || isInt32(cost)
    ? []
    : [invalidValue(`metadata.annotations[${DELETION_COST}]`, cost, 'must be a 32bit integer')];
};

/** Rules for a new Pod after defaulting. Source: core validation v1.34 `ValidatePodCreate`. */
export const validatePod = (pod: Pod): readonly FieldError[] => [
  ...validateMetadata(pod.metadata, { namespaced: true }),
  ...mirrorFaults(pod),
  ...costFaults(pod),
  ...validatePodSpec(pod.spec),
  ...(pod.spec['ephemeralContainers'] === undefined
    ? []
    : [forbiddenField('spec.ephemeralContainers', 'cannot be set on create')]),
  ...(pod.spec.nodeName && gatesOf(pod.spec).length > 0
    ? [forbiddenField('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')]
    : []),
];

const MUTABLE_TEXT =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

const FREE = ['tolerations', 'activeDeadlineSeconds', 'schedulingGates'] as const;
const LISTS = ['containers', 'initContainers'] as const;

const withImagesOf = (after: readonly Container[], before: readonly Container[]): readonly Container[] =>
  after.map((container, index) => ({ ...container, image: before[index]?.image ?? '' }));

/**
 * The new spec with the old values of all fields that may change, and without empty ones: an earlier version has stored
 * `subdomain: ""`.
 */
const withFreePartsOf = (after: PodSpec, before: PodSpec): PodSpec => {
  const parts = [
    ...FREE.map((field) => [field, before[field]] as const),
    ...LISTS.map(
      (list) =>
        [list, after[list] && withImagesOf(containersOf(after, list), containersOf(before, list))] as const,
    ),
  ];
  const kept = { ...after, ...Object.fromEntries(parts) };
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => (value ?? '') !== ''));
};

const validateFixed = (after: PodSpec, before: PodSpec): readonly FieldError[] => {
  const wanted = withFreePartsOf(after, before);
  if (deepEqual(wanted, withFreePartsOf(before, before))) return [];
  const difference = unifiedDiff(printedPodSpec(before), printedPodSpec(wanted));
  return [forbiddenField('spec', `${MUTABLE_TEXT}\n${difference}`)];
};

const validateDeadlineUpdate = (after: PodSpec, before: PodSpec): readonly FieldError[] => {
  const field = 'spec.activeDeadlineSeconds';
  const [now, was] = [after['activeDeadlineSeconds'], before['activeDeadlineSeconds']];
  if (typeof was !== 'number') return [];
  if (typeof now !== 'number')
    return [invalidValue(field, null, 'must not update from a positive integer to nil value')];
  return now > was ? [invalidValue(field, now, 'must be less than or equal to previous value')] : [];
};

const validateGatesUpdate = (after: PodSpec, before: PodSpec): readonly FieldError[] => {
  const known = new Set(gatesOf(before).map(({ name }) => name));
  const places = new Map(gatesOf(after).map(({ name }, index) => [name, index]));
  return gatesOf(after)
    .filter(({ name }) => !known.has(name))
    .map(({ name = '' }) =>
      forbiddenField(
        `spec.schedulingGates[${places.get(name)}].name`,
        `only deletion is allowed, but found new scheduling gate '${name}'`,
      ),
    );
};

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
    ...validateFixed(after, before),
  ];
};

/** Rules for a changed Pod: most of its spec is immutable. Source: core validation v1.34 `ValidatePodUpdate`. */
export const validatePodUpdate = (after: Pod, before: Pod): readonly FieldError[] => [
  ...validateCommonMetadata(after.metadata, before.metadata),
  ...validateMetadataUpdate(after.metadata, before.metadata),
  ...validateMirrorUpdate(after, before),
  ...validateSpecUpdate(after.spec, before.spec),
];
