import { createWork } from '../contract/controller.ts';
import { TaintEvictionMessage } from './message.ts';
import { TAINT_EVICTION_METRICS, type TaintEvictionReports, telemetry } from './metrics.ts';
import { reconcile } from './reconcile.ts';
import { sweep } from './sweep.ts';

export const work = createWork<TaintEvictionMessage, TaintEvictionReports, 'sweep'>({
  message: TaintEvictionMessage,
  reconcile,
  runs: { sweep },
  metrics: TAINT_EVICTION_METRICS,
  telemetry,
});
