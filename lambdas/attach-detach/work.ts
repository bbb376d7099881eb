import { createWork } from '../contract/controller.ts';
import { AttachDetachMessage } from './message.ts';
import { ATTACH_DETACH_METRICS, type AttachDetachReports, telemetry } from './metrics.ts';
import { reconcile } from './reconcile.ts';
import { sweep } from './sweep.ts';

export const work = createWork<AttachDetachMessage, AttachDetachReports, 'attach-detach-sweep'>({
  message: AttachDetachMessage,
  reconcile,
  runs: { 'attach-detach-sweep': sweep },
  metrics: ATTACH_DETACH_METRICS,
  telemetry,
});
