import { measured, subsystem, type Telemetry } from '../../shared/ports/metrics.ts';
import type { LookReport } from './look.ts';
import type { ReplicaSetReport } from './reconcile.ts';

const { counter } = subsystem('replicaset_controller');

export const REPLICA_SET_METRICS = {
  created: counter('pods_created_total', 'Pods created for ReplicaSets.'),
  deleted: counter('pods_deleted_total', 'Pods deleted because a ReplicaSet had too many.'),
  adopted: counter('pods_adopted_total', 'Pods without controller that a ReplicaSet adopted.'),
  released: counter('pods_released_total', 'Pods that a ReplicaSet no longer selected and released.'),
  failures: counter('pod_creation_failures_total', 'Looks at a ReplicaSet in which a pod was refused.'),
};

const sumOf = (report: ReplicaSetReport, of: (look: LookReport) => number): number =>
  report.reduce((sum, look) => sum + of(look), 0);

export const telemetry: Telemetry<ReplicaSetReport> = {
  metricsOf: (report) => [
    measured(
      REPLICA_SET_METRICS.created,
      sumOf(report, ({ created }) => created),
    ),
    measured(
      REPLICA_SET_METRICS.deleted,
      sumOf(report, ({ deleted }) => deleted),
    ),
    measured(
      REPLICA_SET_METRICS.adopted,
      sumOf(report, ({ adopted }) => adopted),
    ),
    measured(
      REPLICA_SET_METRICS.released,
      sumOf(report, ({ released }) => released),
    ),
    measured(
      REPLICA_SET_METRICS.failures,
      sumOf(report, ({ failure }) => Number(failure !== undefined)),
    ),
  ],
  linesOf: () => [],
};
