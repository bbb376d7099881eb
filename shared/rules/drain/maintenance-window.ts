/** When a NodeMaintenance works. */
import type { NodeMaintenance } from '../../kube/types/node-maintenance.ts';
import { type EpochMs, parseTime } from '../../kube/values/time.ts';

/** The first start of a schedule after an instant (ms); `undefined`: there is none. */
export type NextStart = (schedule: string, timeZone: string, after: EpochMs) => EpochMs | undefined;

/** A time in which nodes may begin: from `startAt` until before `endAt` (ms). */
export interface MaintenanceWindow {
  readonly startAt: EpochMs;
  readonly endAt: EpochMs;
}

/** `missed`: it could not be begun in time. */
export type WindowState =
  | {
      readonly state: 'open' | 'missed';
      readonly window: MaintenanceWindow;
      readonly nextAt: EpochMs | undefined;
    }
  | { readonly state: 'closed'; readonly nextAt: EpochMs | undefined };

const startsAfter = (
  { spec = {}, metadata }: NodeMaintenance,
  after: EpochMs,
  next: NextStart,
): EpochMs | undefined => {
  const { schedule, timeZone = 'Etc/UTC', startTime } = spec;
  if (schedule === undefined) {
    const at = parseTime(startTime ?? '');
    return at !== undefined && at > after ? at : undefined;
  }
  // As a CronJob, it does not look at starts before it was made.
  return next(schedule, timeZone, Math.max(after, (parseTime(metadata.creationTimestamp ?? '') ?? 0) - 1));
};

const hasBegun = ({ status }: NodeMaintenance, startAt: EpochMs): boolean =>
  parseTime(status?.windowStartTime ?? '') === startAt;

/**
 * The start (ms) of a window that is missed at `now` (ms): nobody has begun it in time, or it is over and nobody has looked, although the
 * status has announced it. `undefined`: none.
 */
export const missedStart = (
  maintenance: NodeMaintenance,
  window: WindowState,
  now: EpochMs,
): EpochMs | undefined => {
  if (window.state === 'missed') return window.window.startAt;
  const { spec, status, metadata } = maintenance;
  // What an earlier spec has announced, nobody wants any more.
  if (spec?.suspend === true || status?.observedGeneration !== metadata.generation) return undefined;
  const announcedAt = parseTime(status?.nextStartTime ?? '');
  const isOver = window.state === 'closed' && announcedAt !== undefined && announcedAt <= now;
  return isOver && !hasBegun(maintenance, announcedAt) ? announcedAt : undefined;
};

/**
 * The window at `now` (ms). Of windows that overlap the earliest counts, until it ends. One that nobody has begun within the starting
 * deadline is missed, for example because the control plane was off.
 */
export const windowAt = (maintenance: NodeMaintenance, now: EpochMs, next: NextStart): WindowState => {
  const { durationSeconds = 0, startingDeadlineSeconds = durationSeconds } = maintenance.spec ?? {};
  const startAt = startsAfter(maintenance, now - durationSeconds * 1000, next);
  if (startAt === undefined || startAt > now) return { state: 'closed', nextAt: startAt };
  const window = { startAt, endAt: startAt + durationSeconds * 1000 };
  const nextAt = startsAfter(maintenance, Math.max(now, window.endAt - 1), next);
  const isLate = now >= startAt + startingDeadlineSeconds * 1000 && !hasBegun(maintenance, startAt);
  return { state: isLate ? 'missed' : 'open', window, nextAt };
};
