import { createWork } from '../contract/controller.ts';
import { DrainMessage } from './message.ts';
import { DRAIN_METRICS, type DrainReports, telemetry } from './metrics.ts';
import { reconcile } from './reconcile.ts';
import { sweep } from './sweep.ts';

export const work = createWork<DrainMessage, DrainReports, 'drain-sweep'>({
  message: DrainMessage,
  reconcile,
  runs: { 'drain-sweep': sweep },
  metrics: DRAIN_METRICS,
  telemetry,
});
