import { optional } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { EVICTION_WAKEUPS, type EvictionWakeup } from '../../ports/process/messages.ts';
import type { WorkQueues } from '../../ports/process/work-queue.ts';
import type { ControlStore, ZoneRecord } from '../../ports/store/control-store.ts';
import { planWakeUp } from '../../rules/wake-up.ts';

interface WakeUpDeps {
  readonly control: Pick<ControlStore, 'moveWakeAt'>;
  readonly queues: WorkQueues;
}

type Waking = Pick<ZoneRecord, 'id' | 'limiter' | 'wakeAt'>;

/**
 * Sends the zone's wake-up for the limiter's next instant, if `wakeAt` is still the one that was read; returns whether it did.
 * After a crash between the write and the message, the monitor sends the message again. `isPaced`: a token of the limiter was taken since
 * the wake-up before, so wake-ups come no faster than the limiter allows.
 */
export const sendWakeUp = async (
  { control, queues }: WakeUpDeps,
  { id, limiter, wakeAt: read }: Waking,
  now: EpochMs,
  isPaced?: true,
): Promise<boolean> => {
  const { wakeAt, delaySeconds } = planWakeUp(limiter.nextAt, now);
  if (!(await control.moveWakeAt(id, read, wakeAt))) return false;
  const body: EvictionWakeup = { v: 1, kind: 'zone', zone: id };
  await queues.send(EVICTION_WAKEUPS, [{ body, delaySeconds, ...optional('isPaced', isPaced) }]);
  return true;
};
