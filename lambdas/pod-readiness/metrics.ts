import { measured, subsystem, type Telemetry } from '../../shared/ports/process/metrics.ts';
import type { PodReadinessReport } from './reconcile.ts';

const { counter } = subsystem('rollcall');

export const POD_READINESS_METRICS = {
  marked: counter('pods_marked_not_ready_total', 'Pods marked not ready.'),
  ending: counter(
    'pods_marked_ending_total',
    'Pods marked as ending with a node that shuts down, and pods that no longer are.',
  ),
};

export const telemetry: Telemetry<PodReadinessReport> = {
  metricsOf: ({ marked, ending = 0 }) => [
    measured(POD_READINESS_METRICS.marked, marked),
    measured(POD_READINESS_METRICS.ending, ending),
  ],
  linesOf: () => [],
};
