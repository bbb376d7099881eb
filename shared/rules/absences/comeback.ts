/** How long living nodes take to come back, and whether many of them are still on their way. */
import type { NodeLifecycleConfig } from '../../settings/node-lifecycle.ts';

/** Evictions need no rest after an absence up to this share of the grace period: a living node beats four times in a grace period. */
const NOTICED_SHARE = 0.25;
/** A process that used at least this share of a gap as processor time was busy, not suspended. */
const BUSY_SHARE = 0.5;
/** Nodes a second that are heard for the first time: fewer cannot be what keeps a process busy. */
const COMING_RATE = 100;
/** Milliseconds in which each living node beats. While nodes are coming back, the silence of others does not count for so long. */
export const comingMs = (graceMs: number): number => graceMs * NOTICED_SHARE;

/** Milliseconds between the beats of a node that says nothing else. */
export const beatIntervalMs = ({
  nodeMonitorGracePeriodMs,
  heartbeatIntervalMs = 0,
}: Pick<NodeLifecycleConfig, 'nodeMonitorGracePeriodMs' | 'heartbeatIntervalMs'>): number =>
  Math.max(comingMs(nodeMonitorGracePeriodMs), heartbeatIntervalMs);

/** Whether a process worked for at least half of a time. */
export const isBusy = (spanMs: number, busyMs: number): boolean => busyMs >= spanMs * BUSY_SHARE;

/** A span of time in which a process that has started hears its nodes. */
export interface Comeback {
  readonly spanMs: number;
  /** Processor time that the process used in it, ms. */
  readonly busyMs: number;
  /** Nodes that an earlier process has heard, and this one heard in it for the first time. */
  readonly heard: number;
}

/** Whether the beats of more nodes wait, because those that came were as many as the process could verify. */
export const isComing = ({ spanMs, busyMs, heard }: Comeback): boolean =>
  heard > 0 && isBusy(spanMs, busyMs) && heard * 1_000 >= spanMs * COMING_RATE;
