import { measured, subsystem, type Telemetry } from '../../shared/ports/metrics.ts';
import type { DeploymentReport } from './reconcile.ts';

const { counter } = subsystem('deployment_controller');

export const DEPLOYMENT_METRICS = {
  created: counter('replica_sets_created_total', 'ReplicaSets created for Deployments.'),
  scaled: counter('replica_sets_changed_total', 'ReplicaSets scaled or annotated for Deployments.'),
  deleted: counter('replica_sets_deleted_total', 'ReplicaSets deleted beyond the history limit.'),
};
const METRICS = DEPLOYMENT_METRICS;

export const telemetry: Telemetry<DeploymentReport> = {
  metricsOf: (looks) => [
    measured(
      METRICS.created,
      looks.reduce((sum, { created }) => sum + created, 0),
    ),
    measured(
      METRICS.scaled,
      looks.reduce((sum, { scaled }) => sum + scaled, 0),
    ),
    measured(
      METRICS.deleted,
      looks.reduce((sum, { deleted }) => sum + deleted, 0),
    ),
  ],
  linesOf: () => [],
};
