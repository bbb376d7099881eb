import {
  type LogLine,
  type Measurement,
  measured,
  subsystem,
  type Telemetry,
} from '../../shared/ports/process/metrics.ts';
import type { LookReport } from './deps.ts';
import type { SweepReport } from './sweep.ts';

const { counter, gauge } = subsystem('cloud_node_controller');

export const CLOUD_NODE_METRICS = {
  deleted: counter('nodes_deleted_total', 'Nodes deleted because their machine is gone.'),
  initialised: counter(
    'nodes_initialized_total',
    'Nodes that got what their cloud knows about their machine.',
  ),
  drained: counter(
    'nodes_drained_total',
    'Nodes that are drained because their machines are going to leave.',
  ),
  proven: counter(
    'nodes_out_of_service_total',
    'Nodes that got the taint out-of-service because of a proof.',
  ),
  unfenced: counter('fencing_errors_total', 'Requests to switch a machine off that failed.'),
  distrusted: counter(
    'missing_not_believed_total',
    'Looks at Nodes whose machine the provider does not find, while it is not believed.',
  ),
  unanswered: counter('unanswered_total', 'Looks at Nodes about which the provider could not answer.'),
  notReady: gauge('nodes_not_ready', 'Nodes that were not ready at the last sweep.'),
};
const METRICS = CLOUD_NODE_METRICS;

/** What a message has led to, or what a sweep found. */
export type CloudNodeReports = LookReport | SweepReport;

const isSweep = (report: CloudNodeReports): report is SweepReport => 'queued' in report;

const metricsOf = (report: CloudNodeReports): readonly Measurement[] =>
  isSweep(report)
    ? [measured(METRICS.notReady, report.notReady)]
    : [
        measured(METRICS.deleted, report.deleted),
        measured(METRICS.initialised, report.initialised),
        measured(METRICS.drained, report.drained),
        measured(METRICS.proven, report.proven),
        measured(METRICS.unfenced, report.unfenced),
        measured(METRICS.distrusted, report.distrusted),
        measured(METRICS.unanswered, report.unanswered),
      ];

const linesOf = (report: CloudNodeReports): readonly LogLine[] => {
  if (isSweep(report)) return [];
  const { distrusted, unanswered, unfenced, error } = report;
  const lines: LogLine[] = [];
  if (distrusted > 0) {
    const message =
      'the cloud provider does not find machines and is not believed: check its account, region and credentials';
    lines.push({ level: 'error', message, fields: { nodes: distrusted } });
  }
  if (unanswered > 0)
    lines.push({
      level: 'error',
      message: 'the cloud provider could not answer; it is asked again',
      fields: { nodes: unanswered, error },
    });
  if (unfenced > 0)
    lines.push({
      level: 'error',
      message: 'the fencing service could not be asked; it is asked again',
      fields: { error },
    });
  return lines;
};

export const telemetry: Telemetry<CloudNodeReports> = { metricsOf, linesOf };
