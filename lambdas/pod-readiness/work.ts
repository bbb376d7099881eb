import { createWork } from '../contract/controller.ts';
import { PodReadinessMessage } from './message.ts';
import { POD_READINESS_METRICS, telemetry } from './metrics.ts';
import { reconcile } from './reconcile.ts';

export const work = createWork({
  message: PodReadinessMessage,
  reconcile,
  runs: {},
  metrics: POD_READINESS_METRICS,
  telemetry,
});
