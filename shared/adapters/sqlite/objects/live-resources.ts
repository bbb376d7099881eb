import type { Database } from '../file/database.ts';

/** Rows of a resource in the order of their paths, by an index without markers: the cost of a page does not depend on how many objects were deleted. */
export const LIVE_IN_RANGE =
  'object INDEXED BY live_object WHERE resource = ? AND path > ? AND path < ? AND body IS NOT NULL';

/** Whether resources have live rows. What was found out stands until one of them is written or removed. */
export interface LiveResources {
  mayHave(resource: string): boolean;
  changed(resource: string): void;
}

export const createLiveResources = (objects: Database): LiveResources => {
  const any = objects.prepare<{ found: 1 }>(
    'SELECT 1 AS found FROM object INDEXED BY live_object WHERE resource = ? AND body IS NOT NULL LIMIT 1',
  );
  const known = new Map<string, boolean>();
  return {
    mayHave: (resource) => {
      const found = known.get(resource) ?? any.get(resource) !== undefined;
      known.set(resource, found);
      return found;
    },
    changed: (resource) => known.delete(resource),
  };
};
