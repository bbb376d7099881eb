import { createWork } from '../contract/controller.ts';
import { NodeIpamMessage } from './message.ts';
import { NODE_IPAM_METRICS, type NodeIpamReports, telemetry } from './metrics.ts';
import { reconcile } from './reconcile.ts';
import { sweep } from './sweep.ts';

export const work = createWork<NodeIpamMessage, NodeIpamReports, 'addressSweep'>({
  message: NodeIpamMessage,
  reconcile,
  runs: { addressSweep: sweep },
  metrics: NODE_IPAM_METRICS,
  telemetry,
});
