import { createWork } from '../contract/controller.ts';
import { HoldMessage } from './message.ts';
import { HOLD_METRICS, telemetry } from './metrics.ts';
import { reconcile, sweep } from './reconcile.ts';

export const work = createWork({
  message: HoldMessage,
  reconcile,
  runs: { 'hold-sweep': sweep },
  metrics: HOLD_METRICS,
  telemetry,
});
