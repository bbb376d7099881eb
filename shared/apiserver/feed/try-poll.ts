import { hasReason } from '../../kube/errors/status-error.ts';
import type { Feed, Positioned } from '../changes/source.ts';

/** Milliseconds before a failed poll is tried again. */
const RETRY_MS = 1_000;

/** The result of a poll. */
export interface Polled<E> {
  readonly events: readonly E[];
  /** Milliseconds until the next poll is worth while. */
  readonly restMs: number;
}

/** Polls the feed. An error that may pass is given to `onError` and counts as no events; a 410 is thrown. */
export const tryPoll = async <E extends Positioned>(
  feed: Feed<E>,
  onError: (error: unknown) => void,
): Promise<Polled<E>> => {
  try {
    return { events: await feed.poll(), restMs: feed.restMs() };
  } catch (error) {
    if (hasReason(error, 'Expired')) throw error;
    onError(error);
    return { events: [], restMs: RETRY_MS };
  }
};
