import { SchedulerWakeUp } from '../../shared/ports/process/messages.ts';
import { createWork } from '../contract/controller.ts';
import { SCHEDULER_METRICS, telemetry } from './metrics.ts';
import { flush, reconcile } from './reconcile.ts';
import type { SchedulerReport } from './report.ts';

export const work = createWork<SchedulerWakeUp, SchedulerReport, 'flush'>({
  message: SchedulerWakeUp,
  reconcile,
  runs: { flush },
  metrics: SCHEDULER_METRICS,
  telemetry,
});
