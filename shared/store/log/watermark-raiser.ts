import type { Counter } from '../../ports/store/change-log.ts';
import type { Revision } from '../../ports/store/rows.ts';
import type { CommitDeps } from '../commit/commit-protocol.ts';
import type { Revisions } from '../commit/revisions.ts';
import { RAISE_AFTER, withWatermark } from './watermarks.ts';

/** Raises the watermark of a resource for one reader, unless another reader raised it in the meantime. */
export interface WatermarkRaiser {
  /** Call it after every slot up to `revision` was seen filled. `areLarge`: reading these slots again would cost much. */
  raise(revision: Revision, options?: { readonly areLarge: boolean }): Promise<void>;
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
    raise: async (revision, { areLarge } = { areLarge: false }) => {
      counter ??= await revisions.current(resource);
      const mark = { revision, at: clock.now() };
      const next = withWatermark(counter, mark, objects.lag, {
        own,
        raiseAfter: areLarge ? 1 : RAISE_AFTER,
      });
      if (!next) return;
      await objects.replaceWatermarks(resource, counter.watermarks, next);
      own = revision;
      counter = undefined;
    },
  };
};
