import type { Slot } from '../ports/change-log.ts';
import type { Revision } from '../ports/rows.ts';
import type { CommitDeps } from './commit-protocol.ts';
import { createSlotResolver, HOLE_AGE_MS } from './slot-resolver.ts';

/** Number of slots read at a time, which bounds the memory for a long history. */
export const SLOTS_AT_ONCE = 256;

/** Yields the slots in [from, to] in order and without a gap, one batch at a time. Waits until each hole is filled. */
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
