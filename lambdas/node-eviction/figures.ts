import { count } from '../../shared/lambda/metrics.ts';
import { logger } from '../../shared/lambda/observability.ts';
import { NODE_EVICTION_METRICS as METRICS } from './metrics.ts';
import type { NodeEvictionReport } from './reconcile.ts';

/** A wake-up in figures; a line of log for each token taken. */
export const recordWakeup = (report: NodeEvictionReport): void => {
  if (report.outcome === 'tainted') count({ [METRICS.evictions]: 1 });
  if (report.outcome === 'wasted') count({ [METRICS.wastedTokens]: 1 });
  if ('node' in report) logger.info('token taken', { ...report });
};
