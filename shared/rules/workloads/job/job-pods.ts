/** Pods of a Job. Source: kubernetes v1.34 pkg/controller/job `indexed_job_utils.go`, `tracking_utils.go`. */
import type { Pod } from '../../../kube/types/core.ts';
import type { ApiObject } from '../../../kube/types/meta.ts';
import type { Job } from '../../../kube/types/workloads.ts';
import { podFromTemplate } from '../children/pod-from-template.ts';
import { failureVerdict } from './job-failure-policy.ts';
import { replacesFailedOnly } from './job-spec.ts';

/** Holds a pod until it is counted. */
const TRACKING = 'batch.kubernetes.io/job-tracking';
const INDEX = 'batch.kubernetes.io/job-completion-index';
const FAILURES = 'batch.kubernetes.io/job-index-failure-count';
const IGNORED = 'batch.kubernetes.io/job-index-ignored-failure-count';
const INDEX_VARIABLE = {
  name: 'JOB_COMPLETION_INDEX',
  valueFrom: { fieldRef: { fieldPath: `metadata.labels['${INDEX}']` } },
};
/** The longest prefix of a generated name. */
const MOST_PREFIX = 57;

/** Whether the pod is held until it is counted. */
export const isTracked = ({ metadata }: ApiObject): boolean => (metadata.finalizers ?? []).includes(TRACKING);

/** The pod with the finalizer that holds it until it is counted. */
export const tracked = <T extends ApiObject>(pod: T): T =>
  isTracked(pod)
    ? pod
    : { ...pod, metadata: { ...pod.metadata, finalizers: [...(pod.metadata.finalizers ?? []), TRACKING] } };

/** The pod without the finalizer that holds it until it is counted; the same object if it has none. */
export const untracked = <T extends ApiObject>(pod: T): T => {
  if (!isTracked(pod)) return pod;
  const { finalizers = [], ...metadata } = pod.metadata;
  const others = finalizers.filter((one) => one !== TRACKING);
  return { ...pod, metadata: others.length === 0 ? metadata : { ...metadata, finalizers: others } };
};

/** The pod's completion index; `undefined` if its annotation names none that the Job has (W-166). */
export const indexOf = ({ spec }: Job, { metadata }: Pod): number | undefined => {
  const text = metadata.annotations?.[INDEX] ?? '';
  const index = /^\d+$/.test(text) ? Number(text) : undefined;
  return index !== undefined && index < (spec?.completions ?? 0) ? index : undefined;
};

/** Whether the pod counts as failed: a leaving one does, unless the Job replaces only pods that have ended (W-163, W-171). */
export const hasFailed = (job: Job, { metadata, status }: Pod): boolean => {
  if (status?.phase === 'Failed') return true;
  if (replacesFailedOnly(job)) return false;
  return metadata.deletionTimestamp !== undefined && status?.phase !== 'Succeeded';
};

const countIn = ({ metadata }: Pod, annotation: string): number =>
  Number(metadata.annotations?.[annotation] ?? 0) || 0;

/** How many pods of the index have failed before this one. */
export const failuresBefore = (pod: Pod): number => countIn(pod, FAILURES);

/** The failures of an index that its next pod tells: those before the last pod, and that one. */
const failuresAfter = (job: Job, last: Pod | undefined): Readonly<Record<string, string>> => {
  if (!last) return { [FAILURES]: '0' };
  const isIgnored = failureVerdict(job, last).action === 'Ignore';
  const ignored = countIn(last, IGNORED) + (isIgnored ? 1 : 0);
  return {
    [FAILURES]: String(failuresBefore(last) + (isIgnored ? 0 : 1)),
    ...(ignored === 0 ? {} : { [IGNORED]: String(ignored) }),
  };
};

/** All failures of the index that the pod knows of, with those that do not count. */
export const allFailuresBefore = (pod: Pod): number => countIn(pod, FAILURES) + countIn(pod, IGNORED);

interface Container {
  readonly env?: readonly { readonly name?: string }[];
}

const withIndexVariable = (container: Container): Container =>
  (container.env ?? []).some(({ name }) => name === INDEX_VARIABLE.name)
    ? container
    : { ...container, env: [...(container.env ?? []), INDEX_VARIABLE] };

const withVariables = (spec: Pod['spec']): Pod['spec'] => {
  const lists = ['initContainers', 'containers'].flatMap((list) => {
    const containers = spec[list] as readonly Container[] | undefined;
    return containers ? [[list, containers.map(withIndexVariable)] as const] : [];
  });
  return { ...spec, ...Object.fromEntries(lists) };
};

/** A new pod without an index (W-160, W-162). */
const plainPod = (job: Job): Pod => tracked(podFromTemplate(job, job.spec?.template));

/**
 * A new pod of the Job (W-160, W-162, W-165). `index`: its completion index in an indexed Job. `last`: the failed pod of this index,
 * if failures are counted by index.
 */
export const jobPod = (job: Job, index?: number, last?: Pod): Pod => {
  const pod = plainPod(job);
  if (index === undefined) return pod;
  const { metadata, spec } = pod;
  const hasLimit = job.spec?.backoffLimitPerIndex !== undefined;
  return {
    ...pod,
    metadata: {
      ...metadata,
      generateName: `${job.metadata.name.slice(0, MOST_PREFIX - String(index).length)}-${index}-`,
      labels: { ...metadata.labels, [INDEX]: String(index) },
      annotations: {
        ...metadata.annotations,
        [INDEX]: String(index),
        ...(hasLimit ? failuresAfter(job, last) : {}),
      },
    },
    spec: { ...withVariables(spec), hostname: `${job.metadata.name}-${index}` },
  };
};
