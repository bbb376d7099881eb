import { measured, subsystem, type Telemetry } from '../../shared/ports/metrics.ts';
import type { LookReport } from './look.ts';
import type { JobReport } from './reconcile.ts';

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

const sumOf = (report: JobReport, of: (look: LookReport) => number): number =>
  report.reduce((sum, look) => sum + of(look), 0);

export const telemetry: Telemetry<JobReport> = {
  metricsOf: (report) => {
    const { created, deleted, counted, finished, failures } = JOB_METRICS;
    return [
      measured(
        created,
        sumOf(report, (look) => look.created),
      ),
      measured(
        deleted,
        sumOf(report, (look) => look.deleted),
      ),
      measured(
        counted,
        sumOf(report, (look) => look.released),
      ),
      measured(
        finished,
        sumOf(report, (look) => Number(look.isEnd)),
      ),
      measured(
        failures,
        sumOf(report, ({ failure }) => Number(failure !== undefined)),
      ),
    ];
  },
  linesOf: () => [],
};
