import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { OutgoingMessage, WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { ControlStore, PassRecord } from '../../shared/ports/store/control-store.ts';
import { delayUntil } from '../../shared/rules/wake-up.ts';
import type { NodeLifecycleConfig } from '../../shared/settings/node-lifecycle.ts';
import type { MonitorTick } from './message.ts';
import { TICKS } from './queue.ts';

/** How far ahead (ms) ticks are queued: twice the period of the rule, so that one late or lost call leaves no gap. */
const AHEAD_MS = 120_000;

/** A stored end that is further ahead (ms) was stored before the clock was set back. */
const FURTHEST_MS = AHEAD_MS + 5_000;

/** A queue delivers a tick at most this long (ms) before its instant. */
const EARLY_MS = 5_000;

/**
 * The instant (ms) of the pass that a tick for `at` starts. It is `at` if that is at most 5 s ahead; the pass waits for it.
 * Otherwise the tick is late, or the clock was set back after it was queued, and the instant is the current multiple of the
 * period. A backlog of late ticks thus starts one pass per period, whether the queue delivers them slowly or all at once.
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
 * Queues a tick for each multiple of the period after `from` (ms) in the two minutes after `now` (ms), delivered up to a second early. Two calls
 * for the same instants queue two ticks for each, and only one of them starts a pass.
 */
export const enqueueTicks = async (
  { queues, config }: TicksDeps,
  now: EpochMs,
  from: EpochMs = now,
): Promise<void> => {
  const period = config.nodeMonitorPeriodMs;
  const first = Math.floor(from / period) + 1;
  const count = Math.max(0, Math.floor((now + AHEAD_MS) / period) - first + 1);
  const ticks = Array.from({ length: count }, (_, index) => tickAt((first + index) * period, now));
  if (count > 0) await queues.send(TICKS.name, ticks);
};

export interface TicksOnceDeps extends TicksDeps {
  readonly control: Pick<ControlStore, 'noteQueued'>;
}

type Queued = Pick<PassRecord, 'queuedUntil'>;

/** Until when (ms) ticks are queued after `now`. */
const queuedUntil = ({ queuedUntil: until = 0 }: Queued, now: EpochMs): EpochMs =>
  until > now + FURTHEST_MS ? now : Math.max(now, until);

/** Whether ticks are queued until the next run of the schedule has come, so that it queues the following ones. */
export const hasTicks = (pass: Queued, now: EpochMs): boolean => queuedUntil(pass, now) - now >= AHEAD_MS / 2;

/**
 * Queues the ticks up to two minutes after `now` (ms) of which `pass` does not say that they are queued, and then stores that they are. A crash in
 * between repeats ticks; if another run has stored meanwhile, both have queued them.
 */
export const enqueueTicksOnce = async (deps: TicksOnceDeps, pass: Queued, now: EpochMs): Promise<void> => {
  await enqueueTicks(deps, now, queuedUntil(pass, now));
  await deps.control.noteQueued(pass.queuedUntil, now + AHEAD_MS);
};
