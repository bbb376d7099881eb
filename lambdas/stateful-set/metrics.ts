import { measured, subsystem, type Telemetry } from '../../shared/ports/metrics.ts';
import type { LookReport } from './look.ts';
import type { StatefulSetReport } from './reconcile.ts';

const { counter } = subsystem('statefulset_controller');

export const STATEFUL_SET_METRICS = {
  created: counter('pods_created_total', 'Pods created for StatefulSets.'),
  deleted: counter('pods_deleted_total', 'Pods deleted to replace them, or because fewer are wanted.'),
  adopted: counter('pods_adopted_total', 'Pods without controller that a StatefulSet adopted.'),
  released: counter('pods_released_total', 'Pods that a StatefulSet no longer selected and released.'),
  claims: counter('claims_created_total', 'PersistentVolumeClaims created from templates.'),
  failures: counter(
    'failures_total',
    'Looks at a StatefulSet in which a pod or a claim could not be created.',
  ),
};

const sumOf = (report: StatefulSetReport, of: (look: LookReport) => number): number =>
  report.reduce((sum, look) => sum + of(look), 0);

export const telemetry: Telemetry<StatefulSetReport> = {
  metricsOf: (report) => {
    const { created, deleted, adopted, released, claims, failures } = STATEFUL_SET_METRICS;
    return [
      measured(
        created,
        sumOf(report, (look) => look.created),
      ),
      measured(
        deleted,
        sumOf(report, (look) => look.deleted),
      ),
      measured(
        adopted,
        sumOf(report, (look) => look.adopted),
      ),
      measured(
        released,
        sumOf(report, (look) => look.released),
      ),
      measured(
        claims,
        sumOf(report, (look) => look.claims),
      ),
      measured(
        failures,
        sumOf(report, ({ failure }) => Number(failure !== undefined)),
      ),
    ];
  },
  linesOf: () => [],
};
