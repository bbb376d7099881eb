import { WorkloadMessage } from '../../shared/ports/process/messages.ts';
import { createWork } from '../contract/controller.ts';
import { STATEFUL_SET_METRICS, telemetry } from './metrics.ts';
import { reconcile, type StatefulSetReport } from './reconcile.ts';
import { resync } from './resync.ts';

export const work = createWork<WorkloadMessage, StatefulSetReport, 'stateful-set-resync'>({
  message: WorkloadMessage,
  reconcile,
  runs: { 'stateful-set-resync': resync },
  metrics: STATEFUL_SET_METRICS,
  telemetry,
});
