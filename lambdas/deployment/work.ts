import { WorkloadMessage } from '../../shared/ports/process/messages.ts';
import { createWork } from '../contract/controller.ts';
import { DEPLOYMENT_METRICS, telemetry } from './metrics.ts';
import { type DeploymentReport, reconcile } from './reconcile.ts';
import { resync } from './resync.ts';

export const work = createWork<WorkloadMessage, DeploymentReport, 'deployment-resync'>({
  message: WorkloadMessage,
  reconcile,
  runs: { 'deployment-resync': resync },
  metrics: DEPLOYMENT_METRICS,
  telemetry,
});
