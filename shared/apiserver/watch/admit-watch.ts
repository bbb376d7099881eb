import type { User } from '../../kinds/contract/user.ts';
import { tooManyRequests } from '../../kube/errors/status-error.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { WatchLimits } from '../feed/watches.ts';

/** Retry-After (seconds) of a refused watch. */
const RETRY_SECONDS = 10;

/** Gives up the slot when the watch has ended. */
export type Leave = () => Promise<void>;

/** Takes one of the user's slots for a watch and returns how to give it up. Throws 429 when all slots are taken. */
export const admitWatch = async (
  { name }: User,
  { perUser }: WatchLimits,
  { clock, endsAt }: { readonly clock: Clock; readonly endsAt: EpochMs },
): Promise<Leave> => {
  if (!perUser) return async () => undefined;
  const { most, slots } = perUser;
  const slot = await slots.take(name, most, clock.now(), endsAt);
  if (slot === undefined)
    throw tooManyRequests(
      `${name} has ${most} watches open, which is the limit; let clients share one`,
      RETRY_SECONDS,
    );
  return () => slots.release(name, slot, clock.now(), endsAt);
};

/** The lines of a watch; gives up its slot however the watch ends. */
export const releasingSlot = async function* (
  lines: AsyncIterable<string>,
  leave: Leave,
): AsyncGenerator<string, void, undefined> {
  try {
    yield* lines;
  } finally {
    await leave();
  }
};
