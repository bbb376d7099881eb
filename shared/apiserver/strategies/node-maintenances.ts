import { defaultNodeMaintenance } from '../../api/defaults/node-maintenance.ts';
import type { NodeMaintenance } from '../../api/node-maintenance.ts';
import { validateNodeMaintenance } from '../../api/validation/node-maintenance.ts';
import { storedObject, withGeneration } from './stored-object.ts';

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
