/** What happened to one object, and what a watcher with a selector is told of it. */
import type { ApiObject } from '../../api/meta.ts';
import type { Positioned } from './source.ts';

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

export interface WatchChange extends Positioned {
  readonly type: ChangeType;
  /** The object after the change; for DELETED its last state. It has the change's resourceVersion in both cases. */
  readonly object: ApiObject;
  /** The object before, with the resourceVersion of the change; `undefined` where there was none. */
  readonly previous: () => ApiObject | undefined;
}

export interface WatchEvent {
  readonly type: ChangeType | 'BOOKMARK';
  readonly object: ApiObject;
}

export type Matches = (object: ApiObject) => boolean;

const transition = (wasIn: boolean, isIn: boolean): ChangeType | undefined => {
  if (isIn) return wasIn ? 'MODIFIED' : 'ADDED';
  return wasIn ? 'DELETED' : undefined;
};

/**
 * The event for a watcher of the objects that match: one that begins to match is ADDED, one that no longer does is DELETED
 * and shown as it was. Source: apiserver v1.34 `storage/cacher/cache_watcher.go`.
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
