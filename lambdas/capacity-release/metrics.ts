import {
  type LogLine,
  type Measurement,
  measured,
  subsystem,
  type Telemetry,
} from '../../shared/ports/process/metrics.ts';
import type { ReleaseReport } from './reconcile.ts';
import type { SweepReport } from './sweep.ts';

const { counter } = subsystem('rollcall');

export const CAPACITY_RELEASE_METRICS = {
  released: counter('claims_released_total', 'Claims released because their pods had ended or were gone.'),
  swept: counter('capacity_nodes_swept_total', 'Nodes that the sweep of claims and counters has looked at.'),
  sweptLate: counter(
    'claims_released_by_sweep_total',
    'Claims that only the sweep released, because a message was lost or late.',
  ),
  repaired: counter('capacity_nodes_repaired_total', 'Nodes whose digest, claims or counters were repaired.'),
  failed: counter('capacity_sweep_failures_total', 'Nodes that the sweep failed to look at.'),
};
const METRICS = CAPACITY_RELEASE_METRICS;

/** What a message has released, or what a turn of the sweep has done. */
export type CapacityReleaseReports = ReleaseReport | SweepReport;

const metricsOf = (report: CapacityReleaseReports): readonly Measurement[] =>
  'repaired' in report
    ? [
        measured(METRICS.swept, report.nodes),
        measured(METRICS.sweptLate, report.released),
        measured(METRICS.repaired, report.repaired.length),
        measured(METRICS.failed, report.failed.length),
      ]
    : [measured(METRICS.released, report.released)];

const linesOf = (report: CapacityReleaseReports): readonly LogLine[] => {
  if (!('repaired' in report)) return [];
  const repaired = report.repaired.map(
    ({ added, ...fields }): LogLine => ({
      level: 'info',
      message: 'repaired what is counted of a node',
      fields: { ...fields, added: Object.fromEntries(added) },
    }),
  );
  const failed = report.failed.map(
    ({ node, error }): LogLine => ({
      level: 'error',
      message: 'failed to sweep what is counted of a node',
      fields: { node, error },
    }),
  );
  return [...repaired, ...failed];
};

/** On a healthy system there is nothing to say. */
export const telemetry: Telemetry<CapacityReleaseReports> = { metricsOf, linesOf };
