import { subsystem, summedTelemetry } from '../../shared/ports/process/metrics.ts';
import type { LookReport } from './look.ts';

const { counter } = subsystem('job_controller');

export const JOB_METRICS = {
  created: counter('pods_created_total', 'Pods created for Jobs.'),
  deleted: counter(
    'pods_deleted_total',
    'Pods deleted because a Job has ended, is suspended or has too many.',
  ),
  counted: counter('job_pods_finished_total', 'Pods of Jobs that were let go of after they were counted.'),
  finished: counter('jobs_finished_total', 'Jobs that have completed or failed.'),
  failures: counter('pod_creation_failures_total', 'Looks at a Job in which a pod was refused.'),
};

export const telemetry = summedTelemetry<LookReport>([
  [JOB_METRICS.created, ({ created }) => created],
  [JOB_METRICS.deleted, ({ deleted }) => deleted],
  [JOB_METRICS.counted, ({ released }) => released],
  [JOB_METRICS.finished, ({ isEnd }) => Number(isEnd)],
  [JOB_METRICS.failures, ({ failure }) => Number(failure !== undefined)],
]);
