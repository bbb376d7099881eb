import { count, gauge, timed } from '../../shared/lambda/metrics.ts';
import { logger } from '../../shared/lambda/observability.ts';
import { NODE_MONITOR_METRICS as METRICS } from './metrics.ts';
import { type PassReport, totalsOf } from './report.ts';

type Done = Extract<PassReport, { outcome: 'done' }>;

const changedNothing = ({ flips, readied, retainted, stripped, postponed, errors }: Done): boolean =>
  flips + readied + retainted + stripped + postponed + errors.length === 0;

/** A pass in figures; a line of log only for one that did something. */
export const recordPass = (report: PassReport): void => {
  if (report.outcome === 'skipped') return;
  const { silent, zones, flips, conflicts, errors, durationMs } = report;
  const { disrupted, waiting } = totalsOf(zones);
  gauge({
    [METRICS.silentNodes]: silent,
    [METRICS.disruptedZones]: disrupted,
    [METRICS.waitingNodes]: waiting,
  });
  count({
    [METRICS.flips]: flips,
    [METRICS.conflicts]: conflicts,
    [METRICS.failures]: errors.length,
  });
  timed(METRICS.passDuration, durationMs / 1000);
  for (const error of errors) logger.error('a node could not be looked at or written', { error });
  if (!changedNothing(report)) logger.info('pass', { ...report, errors: errors.length });
};
