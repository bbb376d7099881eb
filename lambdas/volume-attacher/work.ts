import { createWork } from '../contract/controller.ts';
import type { AttacherReport } from './deps.ts';
import { VolumeAttacherMessage } from './message.ts';
import { telemetry, VOLUME_ATTACHER_METRICS } from './metrics.ts';
import { reconcile } from './reconcile.ts';
import { sweep } from './sweep.ts';

export const work = createWork<VolumeAttacherMessage, AttacherReport, 'volume-attacher-sweep'>({
  message: VolumeAttacherMessage,
  reconcile,
  runs: { 'volume-attacher-sweep': sweep },
  metrics: VOLUME_ATTACHER_METRICS,
  telemetry,
});
