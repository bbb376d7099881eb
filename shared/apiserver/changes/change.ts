/** A change of one object, and the event that a watch with a selector makes of it. */
import type { ApiObject } from '../../kube/types/meta.ts';
import type { Positioned } from './source.ts';

/** The type of a change, which is also the type of its event. */
export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** One change of one object, at its position in the source. */
export interface WatchChange extends Positioned {
  readonly type: ChangeType;
  /** The object after the change, or its last state if it was DELETED, with the resourceVersion of the change. */
  readonly object: ApiObject;
  /** The object before the change, with the resourceVersion of the change; `undefined` if it did not exist. */
  readonly previous: () => ApiObject | undefined;
}

/** An event of a watch. */
export interface WatchEvent {
  readonly type: ChangeType | 'BOOKMARK';
  readonly object: ApiObject;
}

/** Whether an object matches the watch's selectors. */
export type Matches = (object: ApiObject) => boolean;

const transition = (wasIn: boolean, isIn: boolean): ChangeType | undefined => {
  if (isIn) return wasIn ? 'MODIFIED' : 'ADDED';
  return wasIn ? 'DELETED' : undefined;
};

/**
 * The event for a watch of the objects that match: an object that begins to match is ADDED, one that no longer
 * matches is DELETED, with its previous state. `undefined` if it matched neither before nor after. Source:
 * apiserver v1.34 `storage/cacher/cache_watcher.go`.
 */
export const eventOf = (
  { type, object, previous }: WatchChange,
  matches: Matches,
): WatchEvent | undefined => {
  if (type !== 'MODIFIED') return matches(object) ? { type, object } : undefined;
  const before = previous();
  const told = transition(before !== undefined && matches(before), matches(object));
  if (told === undefined) return undefined;
  return { type: told, object: told === 'DELETED' && before ? before : object };
};
