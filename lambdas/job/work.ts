import { WorkloadMessage } from '../../shared/ports/process/messages.ts';
import { createWork } from '../contract/controller.ts';
import { JOB_METRICS, telemetry } from './metrics.ts';
import { type JobReport, reconcile } from './reconcile.ts';
import { resync } from './resync.ts';

export const work = createWork<WorkloadMessage, JobReport, 'job-resync'>({
  message: WorkloadMessage,
  reconcile,
  runs: { 'job-resync': resync },
  metrics: JOB_METRICS,
  telemetry,
});
