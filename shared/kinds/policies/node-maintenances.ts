import '../../kube/schema/rare-messages.ts';
import { defaultNodeMaintenance } from '../../kube/defaults/node-maintenance.ts';
import type { NodeMaintenance } from '../../kube/types/node-maintenance.ts';
import { storedObject, withGeneration } from '../contract/stored-object.ts';
import { validateNodeMaintenance } from './validate-maintenance.ts';

/** How NodeMaintenances behave. Their `status` is the drain controller's. */
export const nodeMaintenanceStrategy = storedObject<NodeMaintenance>(
  {
    kind: {
      group: 'rollcall.dev',
      version: 'v1',
      kind: 'NodeMaintenance',
      resource: 'nodemaintenances',
      namespaced: false,
    },
    message: 'rollcall.v1.NodeMaintenance',
    rules: validateNodeMaintenance,
  },
  { ...withGeneration<NodeMaintenance>({}), defaults: defaultNodeMaintenance },
);
