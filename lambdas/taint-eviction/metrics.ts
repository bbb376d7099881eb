import { type Measurement, measured, subsystem, type Telemetry } from '../../shared/ports/process/metrics.ts';
import type { TaintEvictionReport } from './reconcile.ts';
import type { SweepReport } from './sweep.ts';

const { counter, gauge, histogram } = subsystem('taint_eviction_controller');

/** Named as in Kubernetes, where Kubernetes has the metric. */
export const TAINT_EVICTION_METRICS = {
  deletions: counter('pod_deletions_total', 'Pods deleted because of NoExecute taints.'),
  deletionDelay: histogram(
    'pod_deletion_duration_seconds',
    'Seconds between the due instant and the deletion.',
    [],
    [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240],
  ),
  deadlinesStored: counter('deadlines_stored_total', 'Deadlines stored.'),
  deadlinesCleared: counter('deadlines_cleared_total', 'Deadlines deleted because they no longer applied.'),
  overdue: gauge('deadlines_overdue', 'Deadlines that the last sweep found overdue.'),
  oldestOverdue: gauge(
    'oldest_overdue_deadline_seconds',
    'Seconds by which the oldest deadline was overdue at the last sweep.',
  ),
};
const METRICS = TAINT_EVICTION_METRICS;

/** The outcomes of the pods of a message, or what a sweep found. */
export type TaintEvictionReports = TaintEvictionReport | SweepReport;

const metricsOfPods = (pods: TaintEvictionReport): readonly Measurement[] => {
  const evicted = pods.filter((pod) => pod.outcome === 'evicted');
  return [
    measured(METRICS.deletions, evicted.length),
    { metric: METRICS.deletionDelay, samples: evicted.map(({ lateMs }) => ({ value: lateMs / 1000 })) },
    measured(METRICS.deadlinesStored, pods.filter((pod) => pod.outcome === 'waiting' && pod.isNew).length),
    measured(METRICS.deadlinesCleared, pods.filter(({ outcome }) => outcome === 'cleared').length),
  ];
};

const metricsOf = (report: TaintEvictionReports): readonly Measurement[] =>
  'overdue' in report
    ? [
        measured(METRICS.overdue, report.overdue),
        measured(METRICS.oldestOverdue, report.oldestOverdueMs / 1000),
      ]
    : metricsOfPods(report);

export const telemetry: Telemetry<TaintEvictionReports> = { metricsOf, linesOf: () => [] };
