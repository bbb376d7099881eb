import type { LogLine, Measurement, Telemetry } from '../../shared/ports/process/metrics.ts';
import { emit } from './metrics.ts';
import { logger } from './observability.ts';

/** Emits the metrics of a run and writes its lines into the function's log. */
export const tellRun = ({
  measurements,
  lines,
}: {
  readonly measurements: readonly Measurement[];
  readonly lines: readonly LogLine[];
}): void => {
  emit(measurements);
  for (const { level, message, fields } of lines) logger[level](message, { ...fields });
};

/** The same for a report. */
export const tell = <Report>({ metricsOf, linesOf }: Telemetry<Report>, report: Report): void =>
  tellRun({ measurements: metricsOf(report), lines: linesOf(report) });
