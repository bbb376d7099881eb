import type { Counter } from '../ports/change-log.ts';
import type { Revision } from '../ports/rows.ts';
import type { CommitDeps } from './commit-protocol.ts';
import type { Revisions } from './revisions.ts';
import { withWatermark } from './watermarks.ts';

/** Raises the watermark of a resource for one reader, unless another reader raised it in the meantime. */
export interface WatermarkRaiser {
  /** Call it after every slot up to `revision` was seen filled. */
  raise(revision: Revision): Promise<void>;
}

/** Creates the raiser for one reader. `known`: the counter, read before the first slot. */
export const createWatermarkRaiser = (
  { objects, clock }: CommitDeps,
  revisions: Revisions,
  resource: string,
  known: Counter,
): WatermarkRaiser => {
  let counter: Counter | undefined = known;
  let own: Revision | undefined;
  return {
    raise: async (revision) => {
      counter ??= await revisions.current(resource);
      const next = withWatermark(counter, { revision, at: clock.now() }, objects.lag, own);
      if (!next) return;
      await objects.replaceWatermarks(resource, counter.watermarks, next);
      own = revision;
      counter = undefined;
    },
  };
};
