/** The windows of NodeMaintenances that are announced to the nodes. */
import { PLANNED_SECONDS } from '../../kube/defaults/node-maintenance.ts';
import { selects } from '../../kube/selector/object-selector.ts';
import type { Node } from '../../kube/types/core.ts';
import type { LabelSelector } from '../../kube/types/meta.ts';
import type { NodeMaintenance } from '../../kube/types/node-maintenance.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { type NextStart, type WindowState, windowAt } from './maintenance-window.ts';
import { maintenanceId, maintenanceOf } from './node-in-maintenance.ts';

/** A window that is announced. `id` is that of `maintenanceId`. */
export interface PlannedWindow {
  readonly maintenance: string;
  readonly id: string;
  readonly selector: LabelSelector | undefined;
  readonly startAt: EpochMs;
}

/** Milliseconds before a window from which it is announced; `undefined`: no window is. */
const leadMsOf = ({ spec = {}, metadata }: NodeMaintenance): number | undefined => {
  const { plannedSeconds = PLANNED_SECONDS, suspend } = spec;
  const isOff = plannedSeconds === 0 || suspend === true || metadata.deletionTimestamp !== undefined;
  return isOff ? undefined : plannedSeconds * 1000;
};

/** When (ms) the next window is announced; `undefined`: it is announced at `now` (ms), or none is. */
export const nextAnnouncementAt = (
  maintenance: NodeMaintenance,
  { nextAt }: WindowState,
  now: EpochMs,
): EpochMs | undefined => {
  const leadMs = leadMsOf(maintenance);
  const at = leadMs === undefined || nextAt === undefined ? undefined : nextAt - leadMs;
  return at !== undefined && at > now ? at : undefined;
};

/** The windows that are announced at `now` (ms): the open one until it ends, and the next one if it begins soon enough. */
export const plannedWindows = (
  maintenance: NodeMaintenance,
  now: EpochMs,
  next: NextStart,
): readonly PlannedWindow[] => {
  const leadMs = leadMsOf(maintenance);
  if (leadMs === undefined) return [];
  const state = windowAt(maintenance, now, next);
  const open = state.state === 'open' ? [state.window.startAt] : [];
  const soon = state.nextAt !== undefined && state.nextAt - leadMs <= now ? [state.nextAt] : [];
  const { name } = maintenance.metadata;
  const selector = maintenance.spec?.nodeSelector;
  return [...open, ...soon].map((startAt) => ({
    maintenance: name,
    id: maintenanceId(maintenance, startAt),
    selector,
    startAt,
  }));
};

/** The first of the windows that a node has before it: it is selected, and has not begun in it. */
export const windowAhead = (node: Node, windows: readonly PlannedWindow[]): PlannedWindow | undefined => {
  const begun = maintenanceOf(node)?.id;
  const ahead = windows.filter(({ id, selector }) => id !== begun && selects(selector, node.metadata.labels));
  return ahead.toSorted((a, b) => a.startAt - b.startAt)[0];
};
