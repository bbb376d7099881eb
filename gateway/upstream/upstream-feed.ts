/** The changes of one upstream watch, across as many requests as it needs. */
import type { WatchChange } from '../../shared/apiserver/changes/change.ts';
import type { Feed } from '../../shared/apiserver/changes/source.ts';
import { hasReason, StatusError } from '../../shared/kube/errors/status-error.ts';
import { REFUSAL, WATCH_LINE } from '../../shared/kube/json/answer-bounds.ts';
import { boundedLines, readBoundedText } from '../../shared/kube/json/bounded-answer.ts';
import { type BackOffDelays, backOff } from '../../shared/kube/values/back-off.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import { headersFor } from './collection.ts';
import type { Credentials } from './credentials.ts';
import type { OpenResponse, Upstream } from './upstream.ts';
import { refusalOf } from './upstream-answer.ts';
import { createUpstreamInbox, type UpstreamInbox } from './upstream-inbox.ts';
import type { WatchTarget } from './watch-target.ts';

interface UpstreamWatchDeps {
  readonly upstream: Upstream;
  readonly target: WatchTarget;
  /** Credentials of a client that may watch the target. */
  readonly credentials: () => Credentials;
  /** Called when the API no longer accepts the credentials. */
  readonly refused: (credentials: Credentials) => void;
}

export interface FeedDeps extends UpstreamWatchDeps {
  readonly clock: Clock;
  /** Called when a request failed and will be retried. */
  readonly failed: (error: unknown) => void;
  /** Called when a request was answered. */
  readonly answered: () => void;
  /** Called when there are changes to poll. */
  readonly onNews: () => void;
}

/** Poll interval while a request is open, for callers that nothing wakes, ms. */
const OPEN_REST_MS = 250;
/** Waits before the retries. The first one waits twice `firstMs`. */
const RETRY: BackOffDelays = { firstMs: 250, mostMs: 5_000 };
/** The maximum wait (ms) that a Retry-After of the API is obeyed for. */
const LONGEST_RETRY_AFTER_MS = 60_000;
/** Shortest time (ms) between the starts of two requests if the first one brought nothing new. */
const REPEAT_REST_MS = 1_000;

/** Timeout (seconds) of a first, short watch. It ends with a bookmark, which shows that the API answers, and its version. */
const BRIEF_SECONDS = 3;

const retryMs = (error: unknown, failures: number): number => {
  const asked = error instanceof StatusError ? (error.details?.retryAfterSeconds ?? 0) * 1000 : 0;
  const own = backOff(RETRY, failures);
  return Math.max(own, Math.min(LONGEST_RETRY_AFTER_MS, asked));
};

const isExpired = (error: unknown): error is StatusError => hasReason(error, 'Expired');

/** When the next request may be sent. */
const createPacing = ({ clock }: FeedDeps) => {
  let failures = 0;
  let nextAt = 0;
  return {
    nextAt: () => nextAt,
    onAnswer: (): void => {
      failures = 0;
    },
    onEnd: (began: number, hadNews: boolean): void => {
      nextAt = hadNews ? 0 : began + REPEAT_REST_MS;
    },
    onFailure: (error: unknown): void => {
      failures += 1;
      nextAt = clock.now() + retryMs(error, failures);
    },
  };
};

/** Puts the events of an answer into the inbox as they come. Resolves to whether any of them was new. */
const readEvents = async (
  { onNews }: FeedDeps,
  inbox: UpstreamInbox,
  body: OpenResponse['body'],
  signal: AbortSignal,
): Promise<boolean> => {
  inbox.nextAnswer();
  let hasNews = false;
  for await (const line of boundedLines(body, WATCH_LINE)) {
    const isNew = inbox.take(line);
    if (isNew) onNews();
    hasNews ||= isNew;
    await inbox.room(signal);
  }
  return hasNews;
};

const pathOf = ({ path, selectors }: WatchTarget, after: number, isBrief: boolean): string => {
  const query = new URLSearchParams(selectors);
  query.set('watch', 'true');
  query.set('allowWatchBookmarks', 'true');
  query.set('resourceVersion', String(after));
  if (isBrief) query.set('timeoutSeconds', String(BRIEF_SECONDS));
  return `${path}?${query.toString()}`;
};

const isRefusal = ({ status }: OpenResponse): boolean => status === 401 || status === 403;

/** Opens the watch after version `after`. Throws the API's refusal, or the error of the connection. */
const openWatch = async (
  deps: UpstreamWatchDeps,
  after: number,
  { isBrief, signal }: { readonly isBrief: boolean; readonly signal: AbortSignal },
): Promise<OpenResponse> => {
  const credentials = deps.credentials();
  const path = pathOf(deps.target, after, isBrief);
  const headers = headersFor(credentials);
  const response = await deps.upstream.open({ method: 'GET', path, headers, signal });
  if (response.status === 200) return response;
  if (isRefusal(response)) deps.refused(credentials);
  throw refusalOf(response.status, response.headers, await readBoundedText(response.body, REFUSAL));
};

/** Follows a watch after version `after`. It starts with the first poll and retries after every failure except 410. */
export const createUpstreamFeed = (deps: FeedDeps, after: number): Feed<WatchChange> => {
  const { clock } = deps;
  const inbox = createUpstreamInbox(after);
  const pacing = createPacing(deps);
  let position = after;
  let expired: StatusError | undefined;
  let reading: AbortController | undefined;
  let isProven = false;

  const readAnswer = async ({ signal }: AbortController): Promise<boolean> => {
    const { body } = await openWatch(deps, inbox.seen(), { isBrief: !isProven, signal });
    isProven = true;
    pacing.onAnswer();
    deps.answered();
    return readEvents(deps, inbox, body, signal);
  };

  const fail = (error: unknown): void => {
    if (isExpired(error)) expired = error;
    else deps.failed(error);
    isProven = false;
    pacing.onFailure(error);
  };

  const read = async (controller: AbortController): Promise<void> => {
    const began = clock.now();
    try {
      pacing.onEnd(began, await readAnswer(controller));
    } catch (error) {
      if (!controller.signal.aborted) fail(error);
    } finally {
      reading = undefined;
      deps.onNews();
    }
  };

  const askAgain = (): void => {
    if (reading || clock.now() < pacing.nextAt()) return;
    reading = new AbortController();
    void read(reading);
  };

  return {
    position: () => position,
    restMs: () => (reading ? OPEN_REST_MS : Math.max(1, pacing.nextAt() - clock.now())),
    poll: async () => {
      if (expired && inbox.isEmpty()) throw expired;
      if (!expired) askAgain();
      position = inbox.seen();
      return inbox.drain();
    },
    close: () => {
      reading?.abort();
      inbox.release();
    },
  };
};
