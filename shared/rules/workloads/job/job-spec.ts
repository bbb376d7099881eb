/** The fields of a Job that its rules use. Source: kubernetes v1.34 `batch/v1` types. */
import type { Condition } from '../../../kube/types/meta.ts';
import type { Job, JobSpec } from '../../../kube/types/workloads.ts';

/** Uids of pods that have ended, and whose counting has begun. */
export interface UncountedPods {
  readonly succeeded?: readonly string[];
  readonly failed?: readonly string[];
}

/** The fields of a Job's status. */
export interface JobStatus {
  readonly active?: number;
  readonly ready?: number;
  readonly terminating?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly completedIndexes?: string;
  readonly failedIndexes?: string;
  readonly uncountedTerminatedPods?: UncountedPods;
  readonly conditions?: readonly Condition[];
}

/** The status of the Job; empty if it has none. */
export const jobStatusOf = ({ status = {} }: Job): JobStatus => status;

const numberIn = (spec: JobSpec | undefined, field: string): number | undefined => {
  const value = spec?.[field];
  return typeof value === 'number' ? value : undefined;
};

/** Whether the Job shall have no active pods for now. */
export const isSuspended = ({ spec }: Job): boolean => spec?.['suspend'] === true;
/** Whether each completion has an index. */
export const isIndexed = ({ spec }: Job): boolean => spec?.completionMode === 'Indexed';
/** Seconds for which a Job may be active; `undefined`: without end. */
export const activeDeadlineSecondsOf = ({ spec }: Job): number | undefined =>
  numberIn(spec, 'activeDeadlineSeconds');
/** Seconds for which a Job stays after its end; `undefined`: without end. */
export const ttlSecondsOf = ({ spec }: Job): number | undefined => numberIn(spec, 'ttlSecondsAfterFinished');
/** Whether a pod is replaced only when it has ended, not while it is leaving. */
export const replacesFailedOnly = ({ spec }: Job): boolean => spec?.podReplacementPolicy === 'Failed';
/** Whether somebody else than this controller works for the Job. */
export const isManagedElsewhere = ({ spec }: Job): boolean => {
  const by = spec?.['managedBy'];
  return by !== undefined && by !== 'kubernetes.io/job-controller';
};

/** The condition of this type, if it is true. */
export const trueCondition = ({ conditions = [] }: JobStatus, type: string): Condition | undefined =>
  conditions.find((one) => one.type === type && one.status === 'True');

/** The condition that says how the Job has ended; `undefined` while it has not. */
export const endOf = (status: JobStatus): Condition | undefined =>
  trueCondition(status, 'Complete') ?? trueCondition(status, 'Failed');
