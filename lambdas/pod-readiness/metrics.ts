import { measured, subsystem, type Telemetry } from '../../shared/ports/metrics.ts';
import type { PodReadinessReport } from './reconcile.ts';

const { counter } = subsystem('rollcall');

export const POD_READINESS_METRICS = {
  marked: counter('pods_marked_not_ready_total', 'Pods marked not ready.'),
};

export const telemetry: Telemetry<PodReadinessReport> = {
  metricsOf: ({ marked }) => [measured(POD_READINESS_METRICS.marked, marked)],
  linesOf: () => [],
};
