/** Workloads, their pod templates and revisions. Source: apps and batch v1.34 `types.go`. */
import type { PodSpec } from './core.ts';
import type { ApiObject, LabelSelector, ObjectMeta } from './meta.ts';

export interface PodTemplateSpec {
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec?: PodSpec;
}

export interface PodTemplate extends ApiObject {
  readonly template?: PodTemplateSpec;
}

/** The fields that the specs of all apps/v1 workloads share. Other fields are kept unchanged. */
export interface WorkloadSpec {
  readonly replicas?: number;
  readonly selector?: LabelSelector;
  readonly template?: PodTemplateSpec;
  readonly [field: string]: unknown;
}

export interface Workload extends ApiObject {
  readonly spec?: WorkloadSpec;
  readonly status?: { readonly replicas?: number; readonly [field: string]: unknown };
}

export interface JobSpec {
  readonly parallelism?: number;
  readonly completions?: number;
  readonly backoffLimit?: number;
  readonly backoffLimitPerIndex?: number;
  readonly maxFailedIndexes?: number;
  readonly completionMode?: string;
  readonly selector?: LabelSelector;
  readonly manualSelector?: boolean;
  readonly podFailurePolicy?: object;
  readonly podReplacementPolicy?: string;
  readonly successPolicy?: object;
  readonly template?: PodTemplateSpec;
  readonly [field: string]: unknown;
}

export interface Job extends ApiObject {
  readonly spec?: JobSpec;
  readonly status?: { readonly succeeded?: number; readonly [field: string]: unknown };
}

export interface CronJobSpec {
  readonly schedule?: string;
  readonly timeZone?: string;
  readonly concurrencyPolicy?: string;
  readonly startingDeadlineSeconds?: number;
  readonly successfulJobsHistoryLimit?: number;
  readonly failedJobsHistoryLimit?: number;
  readonly jobTemplate?: { readonly metadata?: Partial<ObjectMeta>; readonly spec?: JobSpec };
  readonly [field: string]: unknown;
}

export interface CronJob extends ApiObject {
  readonly spec?: CronJobSpec;
  readonly status?: object;
}

export interface ControllerRevision extends ApiObject {
  readonly data?: unknown;
  readonly revision?: number;
}
