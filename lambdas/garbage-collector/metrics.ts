import { measured, subsystem, type Telemetry } from '../../shared/ports/process/metrics.ts';
import type { CollectorReport } from './deps.ts';

const { counter } = subsystem('garbagecollector_controller');

/** Named as in Kubernetes, where Kubernetes has the metric. */
export const GARBAGE_METRICS = {
  deleted: counter('objects_deleted_total', 'Objects deleted because their owners are gone or going.'),
  cut: counter('references_removed_total', 'Objects that lost references to absent owners and kept another.'),
  orphaned: counter(
    'objects_orphaned_total',
    'Objects that lost the reference to an owner deleted with the policy Orphan.',
  ),
  finished: counter('owners_finished_total', 'Owners that no longer wait for their dependents.'),
  failed: counter('resources_sync_error_total', 'Objects that could not be looked at and were queued again.'),
};

export const telemetry: Telemetry<CollectorReport> = {
  metricsOf: ({ deleted, cut, orphaned, finished, failed }) => [
    measured(GARBAGE_METRICS.deleted, deleted),
    measured(GARBAGE_METRICS.cut, cut),
    measured(GARBAGE_METRICS.orphaned, orphaned),
    measured(GARBAGE_METRICS.finished, finished),
    measured(GARBAGE_METRICS.failed, failed),
  ],
  linesOf: () => [],
};
