import { createWork } from '../contract/controller.ts';
import type { CollectorReport } from './deps.ts';
import { GarbageMessage } from './message.ts';
import { GARBAGE_METRICS, telemetry } from './metrics.ts';
import { reconcile } from './reconcile.ts';
import { sweep } from './sweep.ts';

export const work = createWork<GarbageMessage, CollectorReport, 'garbage-sweep'>({
  message: GarbageMessage,
  reconcile,
  runs: { 'garbage-sweep': (ports) => sweep(ports) },
  metrics: GARBAGE_METRICS,
  telemetry,
});
