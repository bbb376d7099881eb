import { createWork } from '../contract/controller.ts';
import { CloudNodeMessage } from './message.ts';
import { CLOUD_NODE_METRICS, type CloudNodeReports, telemetry } from './metrics.ts';
import { reconcile } from './reconcile.ts';
import { sweep } from './sweep.ts';

export const work = createWork<CloudNodeMessage, CloudNodeReports, 'cloud-node-sweep'>({
  message: CloudNodeMessage,
  reconcile,
  runs: { 'cloud-node-sweep': sweep },
  metrics: CLOUD_NODE_METRICS,
  telemetry,
});
