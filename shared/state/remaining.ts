/** How many objects are behind a page of a list. */
import type { LogEntry } from '../ports/change-log.ts';
import type { ObjectKey, Revision } from '../ports/rows.ts';
import type { ListState } from './list-state.ts';
import { pathOf } from './list-state.ts';

export interface Remaining extends Pick<ListState, 'apply'> {
  /** Together with `more` objects; `undefined`: not known. */
  with(more: number): number | undefined;
}

const added = ({ type }: LogEntry): number => Number(type === 'ADDED') - Number(type === 'DELETED');

/**
 * `behind` rows were counted after `end` just now. What came or went there after the list's `revision` is taken back, so that each page
 * of a list counts the same state.
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
      // The end of the rows was reached: what is left was found already.
      if (end === undefined) return more;
      const remaining = behind === undefined ? 0 : behind - since + more;
      return remaining > 0 ? remaining : undefined;
    },
  };
};
