/** The status of a NodeMaintenance. */
import { byText } from '../../kube/text/compare-text.ts';
import type { Condition } from '../../kube/types/meta.ts';
import type { NodeMaintenance, NodeMaintenanceStatus } from '../../kube/types/node-maintenance.ts';
import { optional } from '../../kube/values/optional.ts';
import { type EpochMs, toTime } from '../../kube/values/time.ts';
import type { WindowState } from './maintenance-window.ts';

/** What a look has counted. */
export interface MaintenanceCounts {
  readonly selected: number;
  /** Nodes to which it is announced. */
  readonly planned: number;
  readonly waiting: number;
  readonly done: number;
  readonly nodes: readonly { readonly name: string; readonly phase: 'Draining' | 'Maintaining' }[];
  readonly failures: readonly { readonly name: string; readonly message: string }[];
}

/** Nodes and failures that a status names. */
const MOST_NAMED = 20;

const textOf = ({ waiting, done, nodes, failures }: MaintenanceCounts): string =>
  `${nodes.length} in progress, ${waiting} waiting, ${done} done, ${failures.length} failed`;

const reasonOf = (
  { spec = {} }: NodeMaintenance,
  { state }: WindowState,
  { nodes, waiting, failures }: MaintenanceCounts,
): string => {
  if (nodes.length > 0) return 'InProgress';
  if (spec.suspend) return 'Suspended';
  if (state === 'missed') return 'WindowMissed';
  if (state === 'closed') return 'WindowClosed';
  if (waiting > 0) return 'NodesNotReady';
  return failures.length > 0 ? 'CompleteWithFailures' : 'Complete';
};

const PROGRESSING = 'Progressing';

const conditionOf = (
  maintenance: NodeMaintenance,
  window: WindowState,
  counts: MaintenanceCounts,
  now: EpochMs,
): Condition => {
  const status = counts.nodes.length > 0 ? 'True' : 'False';
  const before = maintenance.status?.conditions?.find(({ type }) => type === PROGRESSING);
  const time = before?.status === status ? before.lastTransitionTime : undefined;
  return {
    type: PROGRESSING,
    status,
    lastTransitionTime: time ?? toTime(now),
    reason: reasonOf(maintenance, window, counts),
    message: textOf(counts),
  };
};

const windowTimes = (
  { status }: NodeMaintenance,
  state: WindowState,
): Pick<NodeMaintenanceStatus, 'windowStartTime' | 'windowEndTime' | 'nextStartTime'> => {
  const { windowStartTime, windowEndTime } = status ?? {};
  const last = {
    ...optional('windowStartTime', windowStartTime),
    ...optional('windowEndTime', windowEndTime),
  };
  const next = state.nextAt === undefined ? {} : { nextStartTime: toTime(state.nextAt) };
  if (state.state !== 'open') return { ...last, ...next };
  const { startAt, endAt } = state.window;
  return { windowStartTime: toTime(startAt), windowEndTime: toTime(endAt), ...next };
};

const firstByName = <T extends { readonly name: string }>(list: readonly T[]): readonly T[] =>
  list.toSorted((a, b) => byText(a.name, b.name)).slice(0, MOST_NAMED);

/** The status after a look at `now` (ms). */
export const maintenanceStatus = (
  maintenance: NodeMaintenance,
  window: WindowState,
  counts: MaintenanceCounts,
  now: EpochMs,
): NodeMaintenanceStatus => ({
  observedGeneration: maintenance.metadata.generation ?? 0,
  ...windowTimes(maintenance, window),
  selected: counts.selected,
  planned: counts.planned,
  waiting: counts.waiting,
  inProgress: counts.nodes.length,
  done: counts.done,
  failed: counts.failures.length,
  nodes: firstByName(counts.nodes),
  failures: firstByName(counts.failures),
  conditions: [conditionOf(maintenance, window, counts, now)],
});
