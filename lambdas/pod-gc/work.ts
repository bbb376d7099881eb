import { createWork } from '../contract/controller.ts';
import { PodGcMessage } from './message.ts';
import { POD_GC_METRICS, type PodGcReports, telemetry } from './metrics.ts';
import { reconcile } from './reconcile.ts';
import { sweep } from './sweep.ts';

export const work = createWork<PodGcMessage, PodGcReports, 'pod-gc-sweep'>({
  message: PodGcMessage,
  reconcile,
  runs: { 'pod-gc-sweep': sweep },
  metrics: POD_GC_METRICS,
  telemetry,
});
