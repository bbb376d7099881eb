import { measured, subsystem, type Telemetry } from '../../shared/ports/process/metrics.ts';
import type { DisruptionReport } from './reconcile.ts';

const { counter } = subsystem('disruption_controller');

/** Kubernetes' controller has no metrics of its own. */
export const DISRUPTION_METRICS = {
  written: counter('statuses_written_total', 'Statuses of PodDisruptionBudgets that were written.'),
  looked: counter('budgets_evaluated_total', 'Evaluations of PodDisruptionBudgets.'),
};

export const telemetry: Telemetry<DisruptionReport> = {
  metricsOf: ({ budgets, written }) => [
    measured(DISRUPTION_METRICS.looked, budgets),
    measured(DISRUPTION_METRICS.written, written),
  ],
  linesOf: () => [],
};
