import { WorkloadMessage } from '../../shared/ports/process/messages.ts';
import { createWork } from '../contract/controller.ts';
import { REPLICA_SET_METRICS, telemetry } from './metrics.ts';
import { type ReplicaSetReport, reconcile } from './reconcile.ts';
import { resync } from './resync.ts';

export const work = createWork<WorkloadMessage, ReplicaSetReport, 'replica-set-resync'>({
  message: WorkloadMessage,
  reconcile,
  runs: { 'replica-set-resync': resync },
  metrics: REPLICA_SET_METRICS,
  telemetry,
});
