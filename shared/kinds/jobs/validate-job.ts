/** Rules of Jobs. Source: kubernetes v1.34 `pkg/apis/batch/validation`. */

import { jobLabels } from '../../kube/defaults/job.ts';
import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidValue, notSupported, required, tooLong } from '../../kube/errors/field-error.ts';
import { deepEqual } from '../../kube/json/deep-equal.ts';
import { selects } from '../../kube/selector/object-selector.ts';
import type { Job, JobSpec } from '../../kube/types/workloads.ts';
import { dnsLabelFaults } from '../../kube/values/names.ts';
import { noneNegative } from '../fields/not-negative.ts';
import { validateSelector } from '../fields/object-selector.ts';
import { validatePodTemplateSpec } from '../pod-spec/pod-template.ts';
import { domainPathFaults } from './domain-path.ts';
import { validateFailurePolicy } from './validate-failure-policy.ts';
import { validateSuccessPolicy } from './validate-success-policy.ts';

const NUMBERS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
] as const;
const INDEXED = 'Indexed';
const MODES = ['NonIndexed', INDEXED] as const;
/** Limit of parallelism and of failed indexes of an indexed Job. */
const MOST_INDEXES = 100_000;

const validateNumbers = (spec: JobSpec, at: string): readonly FieldError[] => noneNegative(spec, NUMBERS, at);

const indexedFaults = (spec: JobSpec, at: string): readonly FieldError[] => {
  const { completions, parallelism = 0, maxFailedIndexes = 0 } = spec;
  const most = `must be less than or equal to ${MOST_INDEXES}`;
  return [
    ...(completions === undefined
      ? [required(`${at}.completions`, `when completion mode is ${INDEXED}`)]
      : []),
    ...(parallelism > MOST_INDEXES
      ? [invalidValue(`${at}.parallelism`, parallelism, `${most} when completion mode is ${INDEXED}`)]
      : []),
    ...(completions !== undefined && maxFailedIndexes > completions
      ? [
          invalidValue(
            `${at}.maxFailedIndexes`,
            maxFailedIndexes,
            'must be less than or equal to completions',
          ),
        ]
      : []),
    ...(maxFailedIndexes > MOST_INDEXES
      ? [invalidValue(`${at}.maxFailedIndexes`, maxFailedIndexes, most)]
      : []),
  ];
};

const INDEXED_ONLY = ['backoffLimitPerIndex', 'maxFailedIndexes'] as const;

const validateMode = (spec: JobSpec, at: string): readonly FieldError[] => {
  const { completionMode = 'NonIndexed' } = spec;
  if (completionMode === INDEXED) return indexedFaults(spec, at);
  return [
    ...((MODES as readonly string[]).includes(completionMode)
      ? []
      : [notSupported(`${at}.completionMode`, completionMode, MODES)]),
    ...INDEXED_ONLY.flatMap((part) =>
      spec[part] === undefined
        ? []
        : [invalidValue(`${at}.${part}`, spec[part], 'requires indexed completion mode')],
    ),
  ];
};

const validateReplacement = (
  { podReplacementPolicy: policy, podFailurePolicy }: JobSpec,
  at: string,
): readonly FieldError[] => {
  const known = podFailurePolicy ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
  return policy === undefined || known.includes(policy)
    ? []
    : [notSupported(`${at}.podReplacementPolicy`, policy, known)];
};

const validateRestart = ({ template, podFailurePolicy }: JobSpec, at: string): readonly FieldError[] => {
  const field = `${at}.template.spec.restartPolicy`;
  const policy = template?.spec?.['restartPolicy'] ?? 'Always';
  if (policy === 'Always') return [required(field, 'valid values: "OnFailure", "Never"')];
  if (policy !== 'OnFailure' && policy !== 'Never')
    return [notSupported(field, policy, ['OnFailure', 'Never'])];
  return podFailurePolicy && policy !== 'Never'
    ? [invalidValue(field, policy, 'only "Never" is supported when podFailurePolicy is specified')]
    : [];
};

/** Bytes. */
const MOST_MANAGER = 63;

const validateManager = ({ managedBy }: JobSpec, at: string): readonly FieldError[] => {
  if (typeof managedBy !== 'string') return [];
  const field = `${at}.managedBy`;
  return [
    ...domainPathFaults(managedBy, field),
    ...(Buffer.byteLength(managedBy) > MOST_MANAGER
      ? [tooLong(field, `may not be more than ${MOST_MANAGER} bytes`)]
      : []),
  ];
};

/** Rules for the spec of a Job or of a CronJob's job template. `at` is its path. */
export const validateJobSpec = (spec: JobSpec, at: string): readonly FieldError[] => [
  ...validateNumbers(spec, at),
  ...(spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined
    ? [required(`${at}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified')]
    : []),
  ...validateMode(spec, at),
  ...validateFailurePolicy(spec, at),
  ...validateSuccessPolicy(spec, at),
  ...validateReplacement(spec, at),
  ...validateManager(spec, at),
  ...validatePodTemplateSpec(spec.template ?? {}, `${at}.template`),
  ...validateRestart(spec, at),
];

const validateGenerated = ({ metadata, spec = {} }: Job): readonly FieldError[] => {
  if (spec.manualSelector === true || !spec.selector) return [];
  const expected = jobLabels(metadata);
  const labels = spec.template?.metadata?.labels ?? {};
  const field = 'spec.template.metadata.labels';
  return [
    ...Object.entries(expected).flatMap(([label, value]) => {
      if (labels[label] === undefined) return [required(`${field}[${label}]`, `must be '${value}'`)];
      return labels[label] === value
        ? []
        : [invalidValue(`${field}[${label}]`, labels[label], `must be '${value}'`)];
    }),
    ...(selects(spec.selector, expected)
      ? []
      : [invalidValue('spec.selector', spec.selector, '`selector` not auto-generated')]),
  ];
};

const validateOwnSelector = ({ selector, template }: JobSpec): readonly FieldError[] => {
  if (!selector) return [required('spec.selector')];
  const labels = template?.metadata?.labels ?? {};
  return [
    ...validateSelector(selector, 'spec.selector'),
    ...(selects(selector, labels)
      ? []
      : [
          invalidValue(
            'spec.template.metadata.labels',
            labels,
            '`selector` does not match template `labels`',
          ),
        ]),
  ];
};

// Each pod of an indexed Job gets its index in its name, so the last pod's name must be valid, too.
const validateLastName = ({ metadata, spec = {} }: Job): readonly FieldError[] => {
  const { completions = 0, completionMode } = spec;
  const last = `${metadata.name}-${completions - 1}`;
  return completionMode === INDEXED && completions > 0 && dnsLabelFaults(last).length > 0
    ? [
        invalidValue(
          'metadata.name',
          metadata.name,
          `will not able to create pod with invalid DNS label: ${last}`,
        ),
      ]
    : [];
};

export const validateJob = (job: Job): readonly FieldError[] => [
  ...validateGenerated(job),
  ...validateJobSpec(job.spec ?? {}, 'spec'),
  ...validateOwnSelector(job.spec ?? {}),
  ...validateLastName(job),
];

const FIXED = [
  'completionMode',
  'podFailurePolicy',
  'backoffLimitPerIndex',
  'managedBy',
  'successPolicy',
] as const;
const IMMUTABLE = 'field is immutable';

const SCHEDULING = ['nodeSelector', 'tolerations', 'schedulingGates'] as const;

/** The template without the scheduling fields, which may still change while a suspended Job `isOpen`. */
const fixedTemplate = (template: JobSpec['template'], isOpen: boolean): object => {
  if (!isOpen) return template ?? {};
  const open = Object.fromEntries(SCHEDULING.map((part) => [part, undefined]));
  const { nodeAffinity: _where, ...affinity } = (template?.spec?.['affinity'] ?? {}) as {
    readonly nodeAffinity?: object;
  };
  return { spec: { ...template?.spec, ...open, affinity } };
};

const validateCompletions = (after: JobSpec, before: JobSpec): readonly FieldError[] => {
  const { completions, parallelism } = after;
  if (completions === before.completions) return [];
  if (after.completionMode !== INDEXED)
    return [invalidValue('spec.completions', completions ?? null, IMMUTABLE)];
  return completions === undefined || completions === parallelism
    ? []
    : [invalidValue('spec.completions', completions, 'can only be modified in tandem with spec.parallelism')];
};

/**
 * The template is immutable, except for scheduling fields of a suspended Job that never started. Source:
 * `ValidateJobSpecUpdate`.
 */
export const validateJobUpdate = (
  { spec: after = {} }: Job,
  { spec: before = {}, status }: Job,
): readonly FieldError[] => {
  const isOpen = before['suspend'] === true && status?.['startTime'] === undefined;
  return [
    ...validateCompletions(after, before),
    ...(deepEqual(after.selector, before.selector)
      ? []
      : [invalidValue('spec.selector', after.selector ?? null, IMMUTABLE)]),
    ...(deepEqual(fixedTemplate(after.template, isOpen), fixedTemplate(before.template, isOpen))
      ? []
      : [invalidValue('spec.template', after.template ?? {}, IMMUTABLE)]),
    ...FIXED.flatMap((part) =>
      deepEqual(after[part], before[part])
        ? []
        : [invalidValue(`spec.${part}`, after[part] ?? null, IMMUTABLE)],
    ),
  ];
};
