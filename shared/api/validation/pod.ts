import type { Pod, PodSpec } from '../core.ts';
import { deepEqual } from '../deep-equal.ts';
import type { FieldError } from '../field-error.ts';
import { duplicate, forbiddenField, invalidValue, notSupported, required } from '../field-error.ts';
import { validateCommonMetadata, validateMetadata, validateMetadataUpdate } from './metadata.ts';
import { dnsLabelFaults, dnsSubdomainFaults } from './names.ts';
import { validateTolerations, validateTolerationsUpdate } from './tolerations.ts';

interface Container {
  readonly name?: string;
  readonly image?: string;
  readonly [field: string]: unknown;
}

const containersOf = (spec: PodSpec, field: 'containers' | 'initContainers'): readonly Container[] =>
  (spec[field] ?? []) as readonly Container[];

const validateName = (name: string, field: string): readonly FieldError[] =>
  name === '' ? [required(field)] : dnsLabelFaults(name).map((fault) => invalidValue(field, name, fault));

const validateImage = (image: string, field: string): readonly FieldError[] => {
  if (image === '') return [required(field)];
  return image === image.trim()
    ? []
    : [invalidValue(field, image, 'must not have leading or trailing whitespace')];
};

const validateContainers = (containers: readonly Container[], field: string): readonly FieldError[] => {
  const seen = new Set<string>();
  return containers.flatMap(({ name = '', image = '' }, index) => {
    const at = `${field}[${index}]`;
    const twice = name !== '' && seen.has(name);
    seen.add(name);
    return [
      ...validateName(name, `${at}.name`),
      ...(twice ? [duplicate(`${at}.name`, name)] : []),
      ...validateImage(image, `${at}.image`),
    ];
  });
};

const oneOf = (field: string, value: unknown, supported: readonly string[]): readonly FieldError[] =>
  typeof value === 'string' && supported.includes(value) ? [] : [notSupported(field, value, supported)];

const validateSpec = (spec: PodSpec): readonly FieldError[] => {
  const containers = containersOf(spec, 'containers');
  return [
    ...(containers.length === 0 ? [required('spec.containers')] : []),
    ...validateContainers(containers, 'spec.containers'),
    ...validateContainers(containersOf(spec, 'initContainers'), 'spec.initContainers'),
    ...oneOf('spec.restartPolicy', spec['restartPolicy'], ['Always', 'OnFailure', 'Never']),
    ...oneOf('spec.dnsPolicy', spec['dnsPolicy'], [
      'ClusterFirstWithHostNet',
      'ClusterFirst',
      'Default',
      'None',
    ]),
    ...dnsSubdomainFaults(spec.nodeName ?? 'unset').map((fault) =>
      invalidValue('spec.nodeName', spec.nodeName, fault),
    ),
    ...validateTolerations(spec.tolerations),
  ];
};

/** Rules for a new Pod, after its defaults were filled in. Source: core validation v1.34 `ValidatePodCreate`; the fields that Rollcall reads. */
export const validatePod = (pod: Pod): readonly FieldError[] => [
  ...validateMetadata(pod.metadata, { namespaced: true }),
  ...validateSpec(pod.spec),
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

const validateDeadline = (after: PodSpec, before: PodSpec): readonly FieldError[] => {
  const field = 'spec.activeDeadlineSeconds';
  const [now, was] = [after['activeDeadlineSeconds'], before['activeDeadlineSeconds']];
  if (typeof was !== 'number') return [];
  if (typeof now !== 'number')
    return [invalidValue(field, null, 'must not update from a positive integer to nil value')];
  return now > was ? [invalidValue(field, now, 'must be less than or equal to previous value')] : [];
};

const validateSpecUpdate = (after: PodSpec, before: PodSpec): readonly FieldError[] => {
  for (const field of ['containers', 'initContainers'] as const)
    if (containersOf(after, field).length !== containersOf(before, field).length)
      return [forbiddenField(`spec.${field}`, 'pod updates may not add or remove containers')];
  const faults = [
    ...validateContainers(containersOf(after, 'containers'), 'spec.containers'),
    ...validateDeadline(after, before),
    ...validateTolerationsUpdate(after.tolerations, before.tolerations),
    ...validateTolerations(after.tolerations),
  ];
  if (faults.length > 0) return faults;
  return deepEqual(fixedPart(after), fixedPart(before)) ? [] : [forbiddenField('spec', MUTABLE_TEXT)];
};

/** Rules for a changed Pod: nearly all of its spec is fixed. Source: core validation v1.34 `ValidatePodUpdate`. */
export const validatePodUpdate = (after: Pod, before: Pod): readonly FieldError[] => [
  ...validatePodStatusUpdate(after, before),
  ...validateSpecUpdate(after.spec, before.spec),
];

/** Rules for a written Pod status: the binding may not change through it. */
export const validatePodStatusUpdate = (after: Pod, before: Pod): readonly FieldError[] => [
  ...validateCommonMetadata(after.metadata, before.metadata),
  ...validateMetadataUpdate(after.metadata, before.metadata),
];
