/** The conditions of a Node that tell of maintenance, by a NodeMaintenance or by its cloud. */
import type { Node } from '../../kube/types/core.ts';
import { MAINTENANCE_PLANNED } from '../../kube/types/well-known.ts';
import { type EpochMs, toTime } from '../../kube/values/time.ts';
import { trueCondition, withoutCondition, withTrueCondition } from '../drain/lifecycle-conditions.ts';
import { MAINTENANCE, withMaintenanceProgress } from '../drain/node-in-maintenance.ts';
import { type PlannedWindow, windowAhead } from '../drain/planned-windows.ts';
import { pendingOf } from './scheduled-maintenance.ts';

interface Announcement {
  readonly at: EpochMs;
  readonly message: string;
}

const BY_CLOUD = 'The cloud has announced maintenance of the machine';

const byCloud = (node: Node): readonly Announcement[] =>
  pendingOf(node).map(({ drainAt, startsAt }) => {
    const when = startsAt === undefined ? '' : ` for ${toTime(startsAt)}`;
    return { at: drainAt, message: `${BY_CLOUD}${when}: the node is drained from ${toTime(drainAt)} on` };
  });

const byWindow = (window: PlannedWindow | undefined): readonly Announcement[] =>
  window
    ? [
        {
          at: window.startAt,
          message: `NodeMaintenance ${window.maintenance}: its window begins at ${toTime(window.startAt)}`,
        },
      ]
    : [];

const withFirst = (node: Node, announced: readonly Announcement[], now: EpochMs): Node => {
  const [first] = announced.toSorted((a, b) => a.at - b.at);
  if (!first) return withoutCondition(node, MAINTENANCE_PLANNED, MAINTENANCE);
  const { message } = first;
  return withTrueCondition(node, { type: MAINTENANCE_PLANNED, reason: MAINTENANCE, message }, now);
};

/** The node with `MaintenancePlanned` and `MaintenanceInProgress` as they are right at `now` (ms), if these windows are announced. The same object if they are. */
export const withMaintenanceConditions = (
  node: Node,
  windows: readonly PlannedWindow[],
  now: EpochMs,
): Node =>
  withMaintenanceProgress(
    withFirst(node, [...byCloud(node), ...byWindow(windowAhead(node, windows))], now),
    now,
  );

/** The node with `MaintenancePlanned` as its cloud has announced it, for whoever knows no windows: what one has announced stays. */
export const withCloudAnnouncement = (node: Node, now: EpochMs): Node => {
  const present = trueCondition(node, MAINTENANCE_PLANNED);
  const isOfWindow = present?.reason === MAINTENANCE && present.message?.startsWith(BY_CLOUD) !== true;
  return isOfWindow ? node : withFirst(node, byCloud(node), now);
};
