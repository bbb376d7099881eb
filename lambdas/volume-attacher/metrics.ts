import { measured, subsystem, type Telemetry } from '../../shared/ports/process/metrics.ts';
import type { AttacherReport } from './deps.ts';

const { counter } = subsystem('volume_attacher');

export const VOLUME_ATTACHER_METRICS = {
  attached: counter('volumes_attached_total', 'Disks that were attached to their machines.'),
  detached: counter('volumes_detached_total', 'Disks that were detached from their machines.'),
  failed: counter('operation_errors_total', 'Looks at a disk that could not be attached or detached.'),
};
const METRICS = VOLUME_ATTACHER_METRICS;

export const telemetry: Telemetry<AttacherReport> = {
  metricsOf: ({ attached, detached, failures }) => [
    measured(METRICS.attached, attached),
    measured(METRICS.detached, detached),
    measured(METRICS.failed, failures.length),
  ],
  linesOf: ({ failures }) =>
    failures.map((why) => ({
      level: 'error',
      message: 'a disk is not where it should be; it is looked at again',
      fields: { why },
    })),
};
