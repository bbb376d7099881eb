import type { Telemetry } from '../../shared/ports/process/metrics.ts';
import { emit } from './metrics.ts';
import { logger } from './observability.ts';

/** Emits the metrics of a report and writes its lines into the function's log. */
export const tell = <Report>({ metricsOf, linesOf }: Telemetry<Report>, report: Report): void => {
  emit(metricsOf(report));
  for (const { level, message, fields } of linesOf(report)) logger[level](message, { ...fields });
};
