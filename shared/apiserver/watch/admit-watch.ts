import { tooManyRequests } from '../../api/status-error.ts';
import type { EpochMs } from '../../api/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { User } from '../access/user.ts';
import type { WatchLimits } from './watches.ts';

/** Seconds after which a refused client may hope for a slot. */
const RETRY_SECONDS = 10;

/** Runs when the watch has ended. */
export type Leave = () => Promise<void>;

/** Counts a watch of this user until its end. Throws 429 when too many are open. */
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
      `${name} has ${most} watches open, which is the most; let clients share one`,
      RETRY_SECONDS,
    );
  return () => slots.release(name, slot, clock.now(), endsAt);
};

/** The lines of a watch; however it ends, it is left. */
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
