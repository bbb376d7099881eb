import { count, gauge, timed } from '../../shared/lambda/metrics.ts';
import { TAINT_EVICTION_METRICS as METRICS } from './metrics.ts';
import type { TaintEvictionReport } from './reconcile.ts';
import type { SweepReport } from './sweep.ts';

/** What became of the pods that a message was about. */
export const recordEvictions = (report: TaintEvictionReport): void => {
  const evicted = report.filter((pod) => pod.outcome === 'evicted');
  for (const { lateMs } of evicted) timed(METRICS.deletionDelay, lateMs / 1000);
  count({
    [METRICS.deletions]: evicted.length,
    [METRICS.deadlinesStored]: report.filter((pod) => pod.outcome === 'waiting' && pod.isNew).length,
    [METRICS.deadlinesCleared]: report.filter(({ outcome }) => outcome === 'cleared').length,
  });
};

export const recordSweep = ({ overdue, oldestOverdueMs }: SweepReport): void =>
  gauge({ [METRICS.overdue]: overdue, [METRICS.oldestOverdue]: oldestOverdueMs / 1000 });
