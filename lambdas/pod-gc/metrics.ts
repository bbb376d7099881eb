import {
  type LogLine,
  type Measurement,
  measured,
  type Sample,
  subsystem,
  type Telemetry,
} from '../../shared/ports/process/metrics.ts';
import type { CollectedPod } from './deps.ts';
import type { SweepReport } from './sweep.ts';

const { counter, gauge } = subsystem('pod_gc_collector');

/** Named as in Kubernetes, where Kubernetes has the metric. */
export const POD_GC_METRICS = {
  deleted: counter('force_delete_pods_total', 'Pods deleted by force, by namespace and reason.', [
    'namespace',
    'reason',
  ]),
  failed: counter('force_delete_pod_errors_total', 'Pods that could not be deleted by force.', [
    'namespace',
    'reason',
  ]),
  absentNodes: gauge('absent_nodes', 'Nodes that are gone and that pods named at the last sweep.'),
  outOfService: gauge('nodes_out_of_service', 'Nodes that were out of service at the last sweep.'),
};
const METRICS = POD_GC_METRICS;

/** What a message has led to, or what a sweep found. */
export type PodGcReports = readonly CollectedPod[] | SweepReport;

const isSweep = (report: PodGcReports): report is SweepReport => 'absentNodes' in report;

const samplesOf = (pods: readonly CollectedPod[], wanted: CollectedPod['outcome']): readonly Sample[] => {
  const some = pods.filter(({ outcome }) => outcome === wanted);
  const groups = Map.groupBy(some, ({ namespace, reason }) => `${namespace}/${reason}`);
  return [...groups.values()].flatMap((group) =>
    group
      .slice(0, 1)
      .map(({ namespace, reason }) => ({ value: group.length, labels: { namespace, reason } })),
  );
};

const metricsOf = (report: PodGcReports): readonly Measurement[] =>
  isSweep(report)
    ? [measured(METRICS.absentNodes, report.absentNodes), measured(METRICS.outOfService, report.outOfService)]
    : [
        { metric: METRICS.deleted, samples: samplesOf(report, 'deleted') },
        { metric: METRICS.failed, samples: samplesOf(report, 'failed') },
      ];

const linesOf = (report: PodGcReports): readonly LogLine[] => {
  const failures = isSweep(report) ? [] : report.filter(({ outcome }) => outcome === 'failed');
  const [first] = failures;
  if (!first) return [];
  const { namespace, reason, error } = first;
  const fields = { pods: failures.length, namespace, reason, error };
  return [{ level: 'error', message: 'pods could not be deleted by force; they are tried again', fields }];
};

export const telemetry: Telemetry<PodGcReports> = { metricsOf, linesOf };
