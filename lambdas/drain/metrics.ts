import {
  type LogLine,
  type Measurement,
  measured,
  type Sample,
  subsystem,
  type Telemetry,
} from '../../shared/ports/process/metrics.ts';
import type { DrainReport } from './deps.ts';
import type { MaintenanceReport } from './nodes/maintain-nodes.ts';
import type { SweepReport } from './sweep.ts';

const { counter, gauge } = subsystem('drain_controller');

/** Kubernetes has no such controller. */
export const DRAIN_METRICS = {
  draining: gauge('draining_nodes', 'Nodes that were being drained at the last sweep.'),
  looks: counter('looks_total', 'Looks at nodes that are being drained.'),
  evictions: counter('evictions_total', 'Evictions of pods, by result: evicted, deleted, refused, failed.', [
    'result',
  ]),
  maintained: counter(
    'maintenances_total',
    'Nodes whose maintenance has begun or ended, by result: begun, done, failed.',
    ['result'],
  ),
  ended: counter('drains_ended_total', 'Drains that have ended, by result: drained, gaveUp, cancelled.', [
    'result',
  ]),
};
const METRICS = DRAIN_METRICS;

/** What a message has led to, or what a sweep found. */
export type DrainReports = DrainReport | MaintenanceReport | SweepReport;

const isSweep = (report: DrainReports): report is SweepReport => 'draining' in report;

const isMaintenance = (report: DrainReports): report is MaintenanceReport => 'begun' in report;

const samplesOf = (results: object): readonly Sample[] =>
  Object.entries(results).flatMap(([result, value]: [string, number]) =>
    value > 0 ? [{ value, labels: { result } }] : [],
  );

const metricsOf = (report: DrainReports): readonly Measurement[] => {
  if (isMaintenance(report)) return [{ metric: METRICS.maintained, samples: samplesOf(report) }];
  if (isSweep(report)) return [measured(METRICS.draining, report.draining)];
  const { looks, ended, evicted, deleted, refused, failed } = report;
  const samples = samplesOf({ evicted, deleted, refused, failed });
  return [
    measured(METRICS.looks, looks),
    { metric: METRICS.evictions, samples },
    { metric: METRICS.ended, samples: ended ? [{ value: 1, labels: { result: ended } }] : [] },
  ];
};

const linesOf = (report: DrainReports): readonly LogLine[] => {
  if (isSweep(report) || isMaintenance(report) || report.failed === 0) return [];
  const fields = { pods: report.failed, error: report.error };
  return [{ level: 'error', message: 'pods could not be evicted; they are tried again', fields }];
};

export const telemetry: Telemetry<DrainReports> = { metricsOf, linesOf };
