/** What the history asks of the API: reads of collections, and watches of them. */
import type { ApiObject } from '../../../shared/kube/types/meta.ts';

/** An event of a watch. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: ApiObject;
}

/** Paths have their query. */
export interface HistoryApi {
  get(path: string): Promise<{ readonly status: number; readonly text: string }>;
  /** The events of a collection after the version `after`, until the API or `signal` ends the watch. Throws the API's refusal, 410 among them. */
  watch(path: string, after: string, signal: AbortSignal): AsyncIterable<WatchEvent>;
}
