import { measured, type Sample, subsystem, type Telemetry } from '../../shared/ports/process/metrics.ts';
import type { AttachDetachReport } from './deps.ts';
import type { SweepReport } from './sweep.ts';

const { counter, gauge } = subsystem('attach_detach_controller');

/** Named as in Kubernetes, where Kubernetes has the metric. */
export const ATTACH_DETACH_METRICS = {
  forced: counter(
    'attachdetach_controller_forced_detaches',
    'Volumes that left a node without its word, by reason.',
    ['reason'],
  ),
  attachments: counter('attachments_made_total', 'VolumeAttachments that were made.'),
  detached: counter('attachments_deleted_total', 'VolumeAttachments that were deleted.'),
  multiAttach: counter('multi_attach_errors_total', 'Pods that wait for a volume at another node.'),
  total: gauge('total_volumes', 'VolumeAttachments at the last sweep.'),
};
const METRICS = ATTACH_DETACH_METRICS;

/** What a message has led to, or what a sweep found. */
export type AttachDetachReports = AttachDetachReport | SweepReport;

const forcedBy = (detached: AttachDetachReport['detached']): readonly Sample[] =>
  (['timeout', 'out-of-service'] as const).flatMap((reason) => {
    const value = detached.filter((one) => one === reason).length;
    return value === 0 ? [] : [{ value, labels: { reason } }];
  });

export const telemetry: Telemetry<AttachDetachReports> = {
  metricsOf: (report) =>
    'nodes' in report
      ? [measured(METRICS.total, report.attachments)]
      : [
          { metric: METRICS.forced, samples: forcedBy(report.detached) },
          measured(METRICS.attachments, report.attached),
          measured(METRICS.detached, report.detached.length),
          measured(METRICS.multiAttach, report.multiAttach),
        ],
  linesOf: () => [],
};
