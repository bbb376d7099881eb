import { createWork } from '../contract/controller.ts';
import { JobMessage } from './message.ts';
import { JOB_METRICS, telemetry } from './metrics.ts';
import { type JobReport, reconcile } from './reconcile.ts';
import { resync } from './resync.ts';

export const work = createWork<JobMessage, JobReport, 'job-resync'>({
  message: JobMessage,
  reconcile,
  runs: { 'job-resync': resync },
  metrics: JOB_METRICS,
  telemetry,
});
