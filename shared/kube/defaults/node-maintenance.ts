import type { NodeMaintenance } from '../types/node-maintenance.ts';
import { optional } from '../values/optional.ts';

/** Seconds before a window from which it is announced, if the spec does not say. */
export const PLANNED_SECONDS = 3_600;

/** A NodeMaintenance with the defaults of its spec. */
export const defaultNodeMaintenance = (given: NodeMaintenance): NodeMaintenance => {
  const { timeZone, maxConcurrent = 1, doneWhen = 'Rebooted', uncordon = true, ...others } = given.spec ?? {};
  const spec = { plannedSeconds: PLANNED_SECONDS, ...others };
  const zone = spec.schedule === undefined ? timeZone : (timeZone ?? 'Etc/UTC');
  return {
    ...given,
    spec: { ...spec, ...optional('timeZone', zone), maxConcurrent, doneWhen, uncordon },
  };
};
