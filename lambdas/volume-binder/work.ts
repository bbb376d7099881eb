import { createWork } from '../contract/controller.ts';
import type { BinderReport } from './deps.ts';
import { VolumeBinderMessage } from './message.ts';
import { telemetry, VOLUME_BINDER_METRICS } from './metrics.ts';
import { reconcile, sweep } from './reconcile.ts';

export const work = createWork<VolumeBinderMessage, BinderReport, 'volume-binder-sweep'>({
  message: VolumeBinderMessage,
  reconcile,
  runs: { 'volume-binder-sweep': sweep },
  metrics: VOLUME_BINDER_METRICS,
  telemetry,
});
