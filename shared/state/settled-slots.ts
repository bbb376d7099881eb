import type { Slot } from '../ports/change-log.ts';
import type { Revision } from '../ports/rows.ts';
import type { CommitDeps } from './commit-protocol.ts';
import { createSlotResolver, HOLE_AGE_MS } from './slot-resolver.ts';

/** Slots read at a time: whoever reads a long history never holds more of it. */
export const SLOTS_AT_ONCE = 256;

/** The slots in [from, to], in order and without a gap, a batch at a time. Waits until each hole is filled. */
export async function* settledSlots(
  deps: CommitDeps,
  resource: string,
  { from, to, atOnce }: { readonly from: Revision; readonly to: Revision; readonly atOnce: number },
): AsyncGenerator<readonly Slot[]> {
  const { clock, ids } = deps;
  const resolver = createSlotResolver(deps, resource);
  for (let next = from; next <= to; ) {
    const { slots, waitingFor } = await resolver.resolve(next, Math.min(to, next + atOnce - 1));
    if (slots.length > 0) yield slots;
    next += slots.length;
    if (waitingFor !== undefined) await clock.sleep(HOLE_AGE_MS / 8 + ids.random() * 100);
  }
}
