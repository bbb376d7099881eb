import {
  type LogLine,
  type Measurement,
  measured,
  subsystem,
  type Telemetry,
} from '../../shared/ports/metrics.ts';
import type { DrainReport } from './deps.ts';
import type { SweepReport } from './sweep.ts';

const { counter, gauge } = subsystem('drain_controller');

/** Kubernetes has no such controller. */
export const DRAIN_METRICS = {
  draining: gauge('draining_nodes', 'Nodes that were being drained at the last sweep.'),
  looks: counter('looks_total', 'Looks at nodes that are being drained.'),
  evictions: counter('evictions_total', 'Evictions of pods, by result: evicted, deleted, refused, failed.'),
  ended: counter('drains_ended_total', 'Drains that have ended, by result: drained, gaveUp, cancelled.'),
};
const METRICS = DRAIN_METRICS;

/** What a message has led to, or what a sweep found. */
export type DrainReports = DrainReport | SweepReport;

const isSweep = (report: DrainReports): report is SweepReport => 'draining' in report;

const metricsOf = (report: DrainReports): readonly Measurement[] => {
  if (isSweep(report)) return [measured(METRICS.draining, report.draining)];
  const { looks, ended, evicted, deleted, refused, failed } = report;
  const results = Object.entries({ evicted, deleted, refused, failed });
  const samples = results.flatMap(([result, value]) => (value > 0 ? [{ value, labels: { result } }] : []));
  return [
    measured(METRICS.looks, looks),
    { metric: METRICS.evictions, samples },
    { metric: METRICS.ended, samples: ended ? [{ value: 1, labels: { result: ended } }] : [] },
  ];
};

const linesOf = (report: DrainReports): readonly LogLine[] => {
  if (isSweep(report) || report.failed === 0) return [];
  const fields = { pods: report.failed, error: report.error };
  return [{ level: 'error', message: 'pods could not be evicted; they are tried again', fields }];
};

export const telemetry: Telemetry<DrainReports> = { metricsOf, linesOf };
