/** Which nodes a NodeMaintenance begins with, and how many at the same time. */
import type { Node } from '../../kube/types/core.ts';
import type { NodeMaintenance } from '../../kube/types/node-maintenance.ts';
import { readyStatusOf } from '../nodes/node-conditions.ts';
import { scaledValue } from '../workloads/children/int-or-percent.ts';
import { drainRequestOf } from './node-drain.ts';

/** How many nodes may be in maintenance at the same time. */
export const concurrencyOf = ({ spec = {} }: NodeMaintenance, selected: number): number =>
  Math.max(1, scaledValue(spec.maxConcurrent ?? 1, selected, 'down'));

/** Whether the maintenance of a node may begin: it is ready, and no other request drains it. */
export const mayBegin = (node: Node): boolean =>
  readyStatusOf(node) === 'True' &&
  drainRequestOf(node) === undefined &&
  node.metadata.deletionTimestamp === undefined;
