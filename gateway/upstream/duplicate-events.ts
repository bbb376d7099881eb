/** Detects events that a resumed watch has already delivered. */
import type { ApiObject } from '../../shared/kube/types/meta.ts';

/** An event of a watch of the API. */
export interface UpstreamEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: ApiObject;
}

const keyOf = ({ type, object: { metadata } }: UpstreamEvent): string =>
  `${type} ${metadata.namespace ?? ''}/${metadata.name} ${metadata.resourceVersion}`;

/**
 * For resources outside the change log, a resumed watch repeats events of the last few seconds before its version. An event that
 * one answer does not repeat is not repeated by later ones: it is enough to remember the events of two answers.
 */
export const createDuplicateFilter = () => {
  let before: ReadonlySet<string> = new Set();
  let now = new Set<string>();
  return {
    /** Call it when another answer begins. */
    nextAnswer: (): void => {
      // An answer that broke off early may not have repeated everything.
      before = new Set([...(now.size < before.size ? before : []), ...now]);
      now = new Set();
    },
    /** Whether the event was delivered before. From now on it counts as delivered. */
    isTold: (event: UpstreamEvent): boolean => {
      const key = keyOf(event);
      const isTold = before.has(key) || now.has(key);
      now.add(key);
      return isTold;
    },
  };
};
