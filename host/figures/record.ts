import type { RunReport } from '../../lambdas/contract/controller.ts';
import type { MetricsRegistry } from '../../shared/serving/http/prometheus.ts';
import type { HostLog } from '../../shared/serving/machine/host-log.ts';
import { recordMeasurements } from './host-metrics.ts';

/**
 * Records the metrics of a run and logs its errors. Other lines are left out: lifecycle events and the roll call show the
 * same.
 */
export const record = (
  { metrics, hostLog }: { readonly metrics: MetricsRegistry; readonly hostLog: HostLog },
  { measurements, lines }: RunReport,
): void => {
  recordMeasurements(metrics, measurements);
  for (const { level, message, fields } of lines) if (level === 'error') hostLog.error(message, fields);
};
