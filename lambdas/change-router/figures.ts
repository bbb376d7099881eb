import { count } from '../../shared/lambda/metrics.ts';
import { logger } from '../../shared/lambda/observability.ts';
import { CHANGE_ROUTER_METRICS as METRICS } from './metrics.ts';
import type { ChangeRouterReport } from './reconcile.ts';

/** A batch in figures; a line of log for each change that could not be read. */
export const recordRouting = ({ changes, badRecords }: ChangeRouterReport): void => {
  count({ [METRICS.changes]: changes, [METRICS.badRecords]: badRecords.length });
  for (const { change, error } of badRecords)
    logger.error('the change is skipped', { key: (change.after ?? change.before)?.key, error });
};
