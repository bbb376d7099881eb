import { measured, subsystem, type Telemetry } from '../../shared/ports/metrics.ts';
import type { LookReport } from './look.ts';
import type { DaemonSetReport } from './reconcile.ts';

const { counter } = subsystem('daemonset_controller');

export const DAEMON_SET_METRICS = {
  looks: counter('looks_total', 'Looks at a DaemonSet.'),
  created: counter('pods_created_total', 'Pods created for DaemonSets.'),
  deleted: counter(
    'pods_deleted_total',
    'Pods of DaemonSets deleted: surplus, outdated, misplaced or ended.',
  ),
  ended: counter(
    'ended_pods_deleted_total',
    'Pods of DaemonSets deleted because they had failed or succeeded.',
  ),
  failures: counter('pod_creation_failures_total', 'Looks at a DaemonSet in which a pod was refused.'),
};

const sumOf = (report: DaemonSetReport, of: (look: LookReport) => number): number =>
  report.reduce((sum, look) => sum + of(look), 0);

export const telemetry: Telemetry<DaemonSetReport> = {
  metricsOf: (report) => [
    measured(DAEMON_SET_METRICS.looks, report.length),
    measured(
      DAEMON_SET_METRICS.created,
      sumOf(report, ({ created }) => created),
    ),
    measured(
      DAEMON_SET_METRICS.deleted,
      sumOf(report, ({ deleted }) => deleted),
    ),
    measured(
      DAEMON_SET_METRICS.ended,
      sumOf(report, ({ ended }) => ended),
    ),
    measured(
      DAEMON_SET_METRICS.failures,
      sumOf(report, ({ failure }) => Number(failure !== undefined)),
    ),
  ],
  linesOf: () => [],
};
