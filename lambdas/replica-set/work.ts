import { createWork } from '../controller.ts';
import { ReplicaSetMessage } from './message.ts';
import { REPLICA_SET_METRICS, telemetry } from './metrics.ts';
import { type ReplicaSetReport, reconcile } from './reconcile.ts';
import { resync } from './resync.ts';

export const work = createWork<ReplicaSetMessage, ReplicaSetReport, 'replica-set-resync'>({
  message: ReplicaSetMessage,
  reconcile,
  runs: { 'replica-set-resync': resync },
  metrics: REPLICA_SET_METRICS,
  telemetry,
});
