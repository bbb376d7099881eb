import { createWork } from '../contract/controller.ts';
import { DisruptionMessage } from './message.ts';
import { DISRUPTION_METRICS, telemetry } from './metrics.ts';
import { reconcile } from './reconcile.ts';
import { sweep } from './sweep.ts';

export const work = createWork({
  message: DisruptionMessage,
  reconcile,
  runs: { budgetSweep: sweep },
  metrics: DISRUPTION_METRICS,
  telemetry,
});
