/** The previews that may still be done, each once. */
import type { Node } from '../../../shared/kube/types/core.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { AskedAction } from './read-request.ts';

/** A preview that was shown: the action, and the Node that it was computed from. */
export interface ShownPreview extends AskedAction {
  readonly seen: Node;
}

/** What was made of a preview. */
export interface Kept<T> {
  readonly preview: ShownPreview;
  /** The result of doing it; `undefined`: nobody has. A second request gets the same one. */
  result: Promise<T> | undefined;
}

/** Previews that are kept: one person looks at one dialog, perhaps in several tabs. */
const MOST = 64;
/** How long what follows may be looked at before it is computed anew, ms. */
export const PREVIEW_MS = 10 * 60_000;

export interface PreviewDeps {
  readonly now: () => EpochMs;
  /** A text that nobody can guess. */
  readonly secret: () => string;
}

/** Keeps the latest previews by ticket. */
export const createPreviews = <T>({ now, secret }: PreviewDeps) => {
  const kept = new Map<string, Kept<T> & { readonly madeAt: EpochMs }>();
  return {
    /** Returns its ticket. */
    add: (preview: ShownPreview): string => {
      const ticket = secret();
      kept.set(ticket, { preview, madeAt: now(), result: undefined });
      const [oldest] = kept.keys();
      if (kept.size > MOST && oldest !== undefined) kept.delete(oldest);
      return ticket;
    },
    /** `undefined`: too old, or never made here. */
    find: (ticket: string): Kept<T> | undefined => {
      const found = kept.get(ticket);
      return found && Math.abs(now() - found.madeAt) < PREVIEW_MS ? found : undefined;
    },
  };
};
