import type { EpochMs } from '../../shared/api/time.ts';
import type { NodeLifecycleConfig } from '../../shared/config/node-lifecycle.ts';
import { delayUntil } from '../../shared/domain/wake-up.ts';
import type { OutgoingMessage, WorkQueues } from '../../shared/ports/work-queue.ts';
import type { MonitorTick } from './message.ts';
import { TICKS } from './queue.ts';

/** Twice the period of the rule, ms: one late or lost call leaves no gap. */
const AHEAD_MS = 120_000;

/** A queue hands a tick over by less than this (ms) before its instant. */
const EARLY_MS = 5_000;

/**
 * The instant of the pass that a tick for `at` (ms) starts: `at` if it comes within a queue's earliness, and the pass waits for it.
 * Otherwise it is the present multiple of the period: the clock was set back since the tick was queued, or the tick is late. A
 * backlog of late ticks thus starts one pass per period, whether the queue hands them over slowly or all at once.
 */
export const passInstant = (at: EpochMs, now: EpochMs, periodMs: number): EpochMs =>
  at > now && at - now <= EARLY_MS ? at : Math.floor(now / periodMs) * periodMs;

export interface TicksDeps {
  readonly queues: WorkQueues;
  readonly config: Pick<NodeLifecycleConfig, 'nodeMonitorPeriodMs'>;
}

const tickAt = (at: EpochMs, now: EpochMs): OutgoingMessage => {
  const body: MonitorTick = { v: 1, kind: 'tick', at };
  return { body, delaySeconds: delayUntil(at, now) };
};

/**
 * Queues a tick for each multiple of the period in the two minutes after `now` (ms), up to a second early. The instants
 * are those of the wall clock, so that ticks of two calls for one instant are the same one to the pass.
 */
export const enqueueTicks = async ({ queues, config }: TicksDeps, now: EpochMs): Promise<number> => {
  const period = config.nodeMonitorPeriodMs;
  const first = Math.floor(now / period) + 1;
  const count = Math.floor((now + AHEAD_MS) / period) - first + 1;
  const ticks = Array.from({ length: count }, (_, index) => tickAt((first + index) * period, now));
  await queues.send(TICKS.name, ticks);
  return count;
};
