import { subsystem, summedTelemetry } from '../../shared/ports/process/metrics.ts';
import type { LookReport } from './look.ts';

const { counter } = subsystem('deployment_controller');

export const DEPLOYMENT_METRICS = {
  created: counter('replica_sets_created_total', 'ReplicaSets created for Deployments.'),
  scaled: counter('replica_sets_changed_total', 'ReplicaSets scaled or annotated for Deployments.'),
  deleted: counter('replica_sets_deleted_total', 'ReplicaSets deleted beyond the history limit.'),
};

export const telemetry = summedTelemetry<LookReport>([
  [DEPLOYMENT_METRICS.created, ({ created }) => created],
  [DEPLOYMENT_METRICS.scaled, ({ scaled }) => scaled],
  [DEPLOYMENT_METRICS.deleted, ({ deleted }) => deleted],
]);
