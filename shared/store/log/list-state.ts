/** The objects of a list: the rows that were read, with log entries applied. */
import { byText } from '../../kube/text/compare-text.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { LogEntry } from '../../ports/store/change-log.ts';
import type { LiveRow, ObjectKey, Revision } from '../../ports/store/rows.ts';
import { isExpired } from '../commit/expired.ts';
import { applyDiff } from '../commit/object-diff.ts';

/** The range of a list, and the rows read from it. */
export interface ListScope {
  readonly rows: readonly LiveRow[];
  /** Last `namespace/name` of the range that was read, inclusive; `undefined`: it was read to the end. */
  readonly end?: string;
  /** Whether the list covers this key. */
  readonly contains: (key: ObjectKey) => boolean;
  /** Whether an object with a covered key is in the list, by its current content. */
  readonly selects: (object: ApiObject) => boolean;
}

/** The objects of a list while log entries are applied to them. */
export interface ListState {
  /** Call it once per entry, in revision order. Entries up to the list's revision are applied to the rows, later ones are undone. */
  apply(entry: LogEntry): void;
  /** Sorted by `namespace/name`. */
  sorted(): readonly (readonly [string, ApiObject])[];
}

interface Shown {
  readonly revision: Revision;
  readonly object: ApiObject;
}

/** The key within a resource, `namespace/name`, by which lists are sorted. The namespace is empty for cluster-scoped objects. */
export const pathOf = ({ namespace, name }: Pick<ObjectKey, 'namespace' | 'name'>): string =>
  `${namespace}/${name}`;

/**
 * The state at `revision`, without objects that have expired at `now`. An entry that a row already includes is dropped. Of the
 * entries after `revision` only the first one of each key counts, because its diff leads back to the state before it.
 */
export const createListState = (
  { rows, contains, selects }: ListScope,
  revision: Revision,
  now: EpochMs,
): ListState => {
  const present = rows.filter((row) => !isExpired(row, now));
  const state = new Map<string, Shown>(present.map((row) => [pathOf(row.key), row]));
  const undone = new Set<string>();
  const show = (path: string, shownAt: Revision, object: ApiObject | undefined): void => {
    if (object && selects(object)) state.set(path, { revision: shownAt, object });
    else state.delete(path);
  };
  const lay = (path: string, entry: LogEntry): void => {
    if ((state.get(path)?.revision ?? 0) >= entry.revision) return;
    const isGone = entry.type === 'DELETED' || isExpired(entry, now);
    show(path, entry.revision, isGone ? undefined : entry.object);
  };
  const undo = (path: string, { object, before }: LogEntry): void => {
    if (undone.has(path)) return;
    undone.add(path);
    show(path, revision, before === null ? undefined : applyDiff(object, before));
  };
  return {
    apply: (entry) => {
      if (!contains(entry.key)) return;
      const path = pathOf(entry.key);
      if (entry.revision <= revision) lay(path, entry);
      else undo(path, entry);
    },
    sorted: () =>
      [...state].map(([path, { object }]) => [path, object] as const).toSorted(([a], [b]) => byText(a, b)),
  };
};
