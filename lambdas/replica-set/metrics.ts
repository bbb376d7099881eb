import { subsystem, summedTelemetry } from '../../shared/ports/process/metrics.ts';
import type { LookReport } from './look.ts';

const { counter } = subsystem('replicaset_controller');

export const REPLICA_SET_METRICS = {
  created: counter('pods_created_total', 'Pods created for ReplicaSets.'),
  deleted: counter('pods_deleted_total', 'Pods deleted because a ReplicaSet had too many.'),
  adopted: counter('pods_adopted_total', 'Pods without controller that a ReplicaSet adopted.'),
  released: counter('pods_released_total', 'Pods that a ReplicaSet no longer selected and released.'),
  failures: counter('pod_creation_failures_total', 'Looks at a ReplicaSet in which a pod was refused.'),
};

export const telemetry = summedTelemetry<LookReport>([
  [REPLICA_SET_METRICS.created, ({ created }) => created],
  [REPLICA_SET_METRICS.deleted, ({ deleted }) => deleted],
  [REPLICA_SET_METRICS.adopted, ({ adopted }) => adopted],
  [REPLICA_SET_METRICS.released, ({ released }) => released],
  [REPLICA_SET_METRICS.failures, ({ failure }) => Number(failure !== undefined)],
]);
