import { createWork } from '../contract/controller.ts';
import { DaemonSetMessage } from './message.ts';
import { DAEMON_SET_METRICS, telemetry } from './metrics.ts';
import { type DaemonSetReport, reconcile } from './reconcile.ts';
import { resync } from './resync.ts';

export const work = createWork<DaemonSetMessage, DaemonSetReport, 'daemon-set-resync'>({
  message: DaemonSetMessage,
  reconcile,
  runs: { 'daemon-set-resync': resync },
  metrics: DAEMON_SET_METRICS,
  telemetry,
});
