import { createWork } from '../contract/controller.ts';
import { CapacityReleaseMessage } from './message.ts';
import { CAPACITY_RELEASE_METRICS, type CapacityReleaseReports, telemetry } from './metrics.ts';
import { reconcile } from './reconcile.ts';
import { sweep } from './sweep.ts';

export const work = createWork<CapacityReleaseMessage, CapacityReleaseReports, 'capacity-sweep'>({
  message: CapacityReleaseMessage,
  reconcile,
  runs: { 'capacity-sweep': sweep },
  metrics: CAPACITY_RELEASE_METRICS,
  telemetry,
});
