import type { NodeMaintenance } from '../types/node-maintenance.ts';
import { optional } from '../values/optional.ts';

/** A NodeMaintenance with the defaults of its spec. */
export const defaultNodeMaintenance = (given: NodeMaintenance): NodeMaintenance => {
  const { timeZone, maxConcurrent = 1, doneWhen = 'Rebooted', uncordon = true, ...spec } = given.spec ?? {};
  const zone = spec.schedule === undefined ? timeZone : (timeZone ?? 'Etc/UTC');
  return {
    ...given,
    spec: { ...spec, ...optional('timeZone', zone), maxConcurrent, doneWhen, uncordon },
  };
};
