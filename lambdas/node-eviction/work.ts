import { EvictionWakeup } from '../../shared/ports/process/messages.ts';
import { createWork } from '../contract/controller.ts';
import { NODE_EVICTION_METRICS, telemetry } from './metrics.ts';
import { reconcile } from './reconcile.ts';

export const work = createWork({
  message: EvictionWakeup,
  reconcile,
  runs: {},
  metrics: NODE_EVICTION_METRICS,
  telemetry,
});
