import type { RunReport } from '../../lambdas/controller.ts';
import type { HostLog } from '../serving/host-log.ts';
import { recordMeasurements } from './host-metrics.ts';
import type { MetricsRegistry } from './prometheus.ts';

/** Takes up what a run tells. Lines that are no errors are left out: lifecycle events and the roll call tell the same. */
export const record = (
  { metrics, hostLog }: { readonly metrics: MetricsRegistry; readonly hostLog: HostLog },
  { measurements, lines }: RunReport,
): void => {
  recordMeasurements(metrics, measurements);
  for (const { level, message, fields } of lines) if (level === 'error') hostLog.error(message, fields);
};
