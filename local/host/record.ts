import type { RunReport } from '../../lambdas/controller.ts';
import type { HostLog } from '../serving/host-log.ts';
import { recordMeasurements } from './host-metrics.ts';
import type { MetricsRegistry } from './prometheus.ts';

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
