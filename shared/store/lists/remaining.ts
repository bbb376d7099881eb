/** The number of objects after a page of a list (`remainingItemCount`). */
import type { LogEntry } from '../../ports/store/change-log.ts';
import type { ObjectKey, Revision } from '../../ports/store/rows.ts';
import type { ListState } from '../log/list-state.ts';
import { pathOf } from '../log/list-state.ts';

/** Counts the objects after a page. Pass it the same log entries as the list's `ListState`. */
export interface Remaining extends Pick<ListState, 'apply'> {
  /** The number of remaining objects including `more`; `undefined` if unknown. */
  with(more: number): number | undefined;
}

const added = ({ type }: LogEntry): number => Number(type === 'ADDED') - Number(type === 'DELETED');

/**
 * Creates the counter for a list at `revision`. `behind` is the number of rows after `end`, counted together with the page.
 * Creations and deletions after the list's `revision` are undone, so that every page of a list counts the same state.
 */
export const createRemaining = (
  isInList: (key: ObjectKey) => boolean,
  revision: Revision,
  { behind, end }: { readonly behind?: number; readonly end?: string },
): Remaining => {
  let since = 0;
  const isBehind = (key: ObjectKey): boolean => end !== undefined && pathOf(key) > end && isInList(key);
  return {
    apply: (entry) => {
      if (entry.revision > revision && isBehind(entry.key)) since += added(entry);
    },
    with: (more) => {
      // All rows were read, so the remaining objects are known.
      if (end === undefined) return more;
      const remaining = behind === undefined ? 0 : behind - since + more;
      return remaining > 0 ? remaining : undefined;
    },
  };
};
