/** Detects events that a resumed watch repeats. */
import type { ApiObject } from '../../shared/api/meta.ts';

export interface UpstreamEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: ApiObject;
}

const keyOf = ({ type, object: { metadata } }: UpstreamEvent): string =>
  `${type} ${metadata.namespace ?? ''}/${metadata.name} ${metadata.resourceVersion}`;

/**
 * Resources outside of the change log are told again for a few seconds before the version from which a watch goes on. What
 * an answer brings again the next one does, too, or no longer: two answers are all that has to be remembered.
 */
export const createDuplicateFilter = () => {
  let before: ReadonlySet<string> = new Set();
  let now = new Set<string>();
  return {
    nextAnswer: (): void => {
      // An answer that broke off early may not have repeated everything.
      before = new Set([...(now.size < before.size ? before : []), ...now]);
      now = new Set();
    },
    /** Whether it was told; it counts as told from here on. */
    isTold: (event: UpstreamEvent): boolean => {
      const key = keyOf(event);
      const isTold = before.has(key) || now.has(key);
      now.add(key);
      return isTold;
    },
  };
};
