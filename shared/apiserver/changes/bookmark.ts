import type { ServedKind } from '../../kinds/contract/strategy.ts';
import { apiVersionOf } from '../../kinds/contract/strategy.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { WatchEvent } from './change.ts';
import { emptyMembers } from './empty-objects.ts';

/** Milliseconds between two bookmarks. */
const EVERY_MS = 60_000;
const BEFORE_END_MS = 2_000;

/** A bookmark: tells the client how far the watch has come, so that it can continue there even if no object changed. */
export const bookmarkAt = (kind: ServedKind, position: number, annotations?: object): WatchEvent => ({
  type: 'BOOKMARK',
  object: {
    kind: kind.kind,
    apiVersion: apiVersionOf(kind),
    metadata: { resourceVersion: String(position), ...(annotations ? { annotations } : {}) },
    ...emptyMembers(kind),
  } as unknown as ApiObject,
});

/** The bookmark after the last object of the initial state. */
export const stateEndAt = (kind: ServedKind, position: number): WatchEvent =>
  bookmarkAt(kind, position, { 'k8s.io/initial-events-end': 'true' });

/** When the next bookmark is due (ms). Source: apiserver v1.34 `storage/cacher/cache_watcher.go` `nextBookmarkTime`. */
export const nextBookmarkAt = (now: EpochMs, endsAt: EpochMs): EpochMs => {
  const last = endsAt - BEFORE_END_MS;
  return last > now && last < now + EVERY_MS ? last : now + EVERY_MS;
};
