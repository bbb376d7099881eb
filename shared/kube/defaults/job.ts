/** Defaults of batch/v1. Source: kubernetes v1.34 `pkg/apis/batch/v1/defaults.go`. */
import type { ObjectMeta } from '../types/meta.ts';
import type { CronJob, Job, JobSpec } from '../types/workloads.ts';
import { defaultPodTemplateSpec } from './pod-template.ts';

const MOST_INT32 = 2 ** 31 - 1;

const completions = (spec: JobSpec): Partial<JobSpec> =>
  spec.completions === undefined && spec.parallelism === undefined
    ? { completions: 1, parallelism: 1 }
    : { parallelism: spec.parallelism ?? 1 };

interface FailureRule {
  readonly onPodConditions?: readonly { readonly status?: string }[] | null;
}

/** A condition of a failure rule means `True` unless it says something else. */
const defaultRule = (rule: FailureRule): FailureRule =>
  rule.onPodConditions
    ? {
        ...rule,
        onPodConditions: rule.onPodConditions.map((one) => ({ ...one, status: one.status || 'True' })),
      }
    : rule;

const failurePolicy = ({ podFailurePolicy: policy }: JobSpec): Partial<JobSpec> => {
  const { rules } = (policy ?? {}) as { readonly rules?: readonly FailureRule[] | null };
  return policy && rules ? { podFailurePolicy: { ...policy, rules: rules.map(defaultRule) } } : {};
};

const defaultSpec = (spec: JobSpec): JobSpec => ({
  ...spec,
  ...failurePolicy(spec),
  ...completions(spec),
  backoffLimit: spec.backoffLimit ?? (spec.backoffLimitPerIndex === undefined ? 6 : MOST_INT32),
  completionMode: spec.completionMode ?? 'NonIndexed',
  suspend: spec['suspend'] ?? false,
  podReplacementPolicy:
    spec.podReplacementPolicy ?? (spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed'),
  manualSelector: spec.manualSelector ?? false,
  template: defaultPodTemplateSpec(spec.template ?? {}),
});

/** Fills in the defaults of a Job. A Job without labels gets the labels of its template. */
export const defaultJob = (job: Job): Job => {
  const own = Object.keys(job.metadata.labels ?? {}).length > 0;
  const labels = job.spec?.template?.metadata?.labels;
  return {
    ...job,
    metadata: { ...job.metadata, ...(labels && !own ? { labels } : {}) },
    spec: defaultSpec(job.spec ?? {}),
  };
};

/**
 * Fills in the defaults of a CronJob. Its job template gets the defaults of the pod template and of a failure policy, but no others
 * of a Job.
 */
export const defaultCronJob = (cronJob: CronJob): CronJob => {
  const spec = cronJob.spec ?? {};
  const { jobTemplate = {} } = spec;
  const template = defaultPodTemplateSpec(jobTemplate.spec?.template ?? {});
  return {
    ...cronJob,
    spec: {
      ...spec,
      concurrencyPolicy: spec.concurrencyPolicy ?? 'Allow',
      suspend: spec['suspend'] ?? false,
      jobTemplate: {
        metadata: {},
        ...jobTemplate,
        spec: { ...jobTemplate.spec, ...failurePolicy(jobTemplate.spec ?? {}), template },
      },
      successfulJobsHistoryLimit: spec.successfulJobsHistoryLimit ?? 3,
      failedJobsHistoryLimit: spec.failedJobsHistoryLimit ?? 1,
    },
  };
};

const UID_LABELS = ['controller-uid', 'batch.kubernetes.io/controller-uid'] as const;
const NAME_LABELS = ['job-name', 'batch.kubernetes.io/job-name'] as const;

/**
 * Adds the generated labels to the pod template and the selector for them. Source: registry v1.34 `generateSelector`.
 */
export const withGeneratedSelector = (job: Job): Job => {
  const { spec = {}, metadata } = job;
  if (spec.manualSelector === true) return job;
  const { name, uid = '' } = metadata;
  const named = Object.fromEntries(NAME_LABELS.map((label) => [label, name]));
  const identified = Object.fromEntries(UID_LABELS.map((label) => [label, uid]));
  const template = spec.template ?? {};
  const labels = { ...named, ...identified, ...template.metadata?.labels };
  const matchLabels = { [UID_LABELS[1]]: uid, ...spec.selector?.matchLabels };
  return {
    ...job,
    spec: {
      ...spec,
      selector: { ...spec.selector, matchLabels },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
};

/** The labels that the API server generates for the pods of a Job. */
export const jobLabels = ({ name, uid = '' }: ObjectMeta): Readonly<Record<string, string>> =>
  Object.fromEntries([
    ...UID_LABELS.map((label) => [label, uid] as const),
    ...NAME_LABELS.map((label) => [label, name] as const),
  ]);
