import '../../kube/schema/rare-messages.ts';
/** Strategies of batch/v1. Objects of CronJob are only stored: no controller creates Jobs for them. */
import { defaultCronJob, defaultJob, withGeneratedSelector } from '../../kube/defaults/job.ts';
import { invalidValue } from '../../kube/errors/field-error.ts';
import type { CronJob, Job } from '../../kube/types/workloads.ts';
import { ignored } from '../contract/ignored.ts';
import { storedObject, withGeneration } from '../contract/stored-object.ts';
import { validateMetadata } from '../fields/metadata.ts';
import { cronJobNameFaults, validateCronJob } from './validate-cron-job.ts';
import { validateJob, validateJobUpdate } from './validate-job.ts';

const batchKind = (kind: string, resource: string) => ({
  group: 'batch',
  version: 'v1',
  kind,
  resource,
  namespaced: true,
});

const jobParts = withGeneration<Job>({});

/** How Jobs behave. */
export const jobStrategy = storedObject<Job>(
  {
    kind: batchKind('Job', 'jobs'),
    message: 'batch.v1.Job',
    rules: validateJob,
    changeRules: validateJobUpdate,
  },
  {
    ...jobParts,
    forCreate: (job, now) => jobParts.forCreate(withGeneratedSelector(job), now),
    defaults: defaultJob,
    // Source of policy and text: kubernetes v1.34 pkg/registry/batch/job.
    orphansDependents: true,
    orphanWarning:
      'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
    fields: ({ status }) => ({ 'status.successful': String(status?.succeeded ?? 0) }),
  },
);

/** How CronJobs behave. */
export const cronJobStrategy = storedObject<CronJob>(
  { kind: batchKind('CronJob', 'cronjobs'), message: 'batch.v1.CronJob', rules: validateCronJob },
  {
    ...withGeneration<CronJob>({}),
    ...ignored('CronJob', 'no Job is created for it'),
    defaults: defaultCronJob,
    validate: (cronJob) => [
      ...validateMetadata(cronJob.metadata, { namespaced: true }),
      ...validateCronJob(cronJob),
      ...cronJobNameFaults(cronJob.metadata.name).map((fault) =>
        invalidValue('metadata.name', cronJob.metadata.name, fault),
      ),
    ],
  },
);
