import type { Slot } from '../../ports/store/change-log.ts';
import type { Revision } from '../../ports/store/rows.ts';
import type { CommitDeps } from '../commit/commit-protocol.ts';
import { createSlotResolver, HOLE_AGE_MS } from './slot-resolver.ts';

/** Number of slots read at a time, which bounds the memory for a long history. */
export const SLOTS_AT_ONCE = 256;

/** Slots that were read at a time. */
export interface SlotBatch {
  readonly slots: readonly Slot[];
  /** Whether the read ended early because these slots are large. */
  readonly isLarge: boolean;
}

/** Yields the slots in [from, to] in order and without a gap, one batch at a time. Waits until each hole is filled. */
export async function* settledSlots(
  deps: CommitDeps,
  resource: string,
  { from, to, atOnce }: { readonly from: Revision; readonly to: Revision; readonly atOnce: number },
): AsyncGenerator<SlotBatch> {
  const { clock, ids } = deps;
  const resolver = createSlotResolver(deps, resource);
  for (let next = from; next <= to; ) {
    const last = Math.min(to, next + atOnce - 1);
    const { slots, waitingFor } = await resolver.resolve(next, last);
    const isLarge = waitingFor === undefined && next + slots.length <= last;
    if (slots.length > 0) yield { slots, isLarge };
    next += slots.length;
    if (waitingFor !== undefined) await clock.sleep(HOLE_AGE_MS / 8 + ids.random() * 100);
  }
}
