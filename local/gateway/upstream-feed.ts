/** What one watch of the API brings, across as many requests as it takes. */
import { hasReason, type Status, StatusError } from '../../shared/api/status-error.ts';
import type { Change } from '../../shared/apiserver/watch/change.ts';
import type { Feed } from '../../shared/apiserver/watch/source.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { askingAs } from './collection.ts';
import type { Credentials } from './credentials.ts';
import { linesOf, textOf } from './lines.ts';
import { createRepeats, type UpstreamEvent } from './repeats.ts';
import type { OpenResponse, Upstream } from './upstream.ts';
import { errorOf, refusalOf } from './upstream-answer.ts';
import type { WatchTarget } from './watch-target.ts';

export interface FeedDeps {
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly target: WatchTarget;
  /** Of a client that may watch this. */
  readonly credentials: () => Credentials;
  /** The API no longer accepts these. */
  readonly refused: (credentials: Credentials) => void;
  /** A request did not bring what it should have, and is tried again. */
  readonly failed: (error: unknown) => void;
  /** A request was answered. */
  readonly answered: () => void;
  /** There is something to poll for. */
  readonly onNews: () => void;
}

/** Milliseconds between two looks while a request is open, for those whom nobody tells that there is news. */
const OPEN_REST_MS = 250;
/** Milliseconds before the first try after a failure, doubled with each further one, and the longest. */
const RETRY_MS = 250;
const LONGEST_RETRY_MS = 5_000;
/** The longest wait that the API may ask for, ms. */
const LONGEST_RETRY_AFTER_MS = 60_000;
/** An answer that comes at once and brings nothing new is not asked for again for so long, ms. */
const REPEAT_REST_MS = 1_000;
/** Seconds of a watch that ends with a bookmark as soon as one may: it tells how far the API is, and that it is there. */
const BRIEF_SECONDS = 3;
/** Events that wait for a poll; then no more are read. */
const MOST_READY = 1_000;

const versionOf = ({ object }: UpstreamEvent): number => Number(object.metadata.resourceVersion ?? 0);

/** The API has applied the selectors: what it calls MODIFIED was and is among the objects that match. */
const changeOf = (type: Change['type'], { object }: UpstreamEvent, position: number): Change => ({
  position,
  type,
  object,
  previous: () => object,
});

const retryMs = (error: unknown, failures: number): number => {
  const asked = error instanceof StatusError ? (error.details?.retryAfterSeconds ?? 0) * 1000 : 0;
  const own = Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** Math.min(failures, 10));
  return Math.max(own, Math.min(LONGEST_RETRY_AFTER_MS, asked));
};

const isExpired = (error: unknown): error is StatusError => hasReason(error, 'Expired');

const isRefusal = ({ status }: OpenResponse): boolean => status === 401 || status === 403;

/** Follows the watch from `after` on, exclusive. It begins with the first poll; only 410 ends it. */
export const createUpstreamFeed = (deps: FeedDeps, after: number): Feed<Change> => {
  const { clock } = deps;
  const repeats = createRepeats();
  let position = after;
  let seen = after;
  let ready: Change[] = [];
  let expired: StatusError | undefined;
  let reading: AbortController | undefined;
  let failures = 0;
  let isProven = false;
  let nextAt = 0;
  let taken = (): void => undefined;

  /** Whether it is something new. */
  const take = (event: UpstreamEvent): boolean => {
    const { type } = event;
    if (type === 'ERROR') throw errorOf(event.object as unknown as Status);
    const isTold = type !== 'BOOKMARK' && repeats.isTold(event);
    const isNew = !isTold && (type !== 'BOOKMARK' || versionOf(event) > seen);
    // Versions outside of the change log need not be in order.
    seen = Math.max(seen, versionOf(event));
    if (!isTold && type !== 'BOOKMARK') ready.push(changeOf(type, event, seen));
    if (isNew) deps.onNews();
    return isNew;
  };

  const room = async ({ signal }: AbortController): Promise<void> => {
    while (ready.length >= MOST_READY && !signal.aborted)
      await new Promise<void>((resolve) => {
        taken = resolve;
      });
  };

  const pathNow = (): string => {
    const query = new URLSearchParams(deps.target.selectors);
    query.set('watch', 'true');
    query.set('allowWatchBookmarks', 'true');
    query.set('resourceVersion', String(seen));
    if (!isProven) query.set('timeoutSeconds', String(BRIEF_SECONDS));
    return `${deps.target.path}?${query.toString()}`;
  };

  const ask = async ({ signal }: AbortController): Promise<OpenResponse> => {
    const credentials = deps.credentials();
    const headers = askingAs(credentials);
    const response = await deps.upstream.open({ method: 'GET', path: pathNow(), headers, signal });
    if (response.status === 200) return response;
    if (isRefusal(response)) deps.refused(credentials);
    throw refusalOf(response.status, response.headers, await textOf(response.body));
  };

  /** One answer; whether it brought anything. */
  const readAnswer = async (controller: AbortController): Promise<boolean> => {
    const { body } = await ask(controller);
    isProven = true;
    failures = 0;
    deps.answered();
    repeats.nextAnswer();
    let hasNews = false;
    for await (const line of linesOf(body)) {
      hasNews = take(JSON.parse(line) as UpstreamEvent) || hasNews;
      await room(controller);
    }
    return hasNews;
  };

  const fail = (error: unknown): void => {
    if (isExpired(error)) expired = error;
    else deps.failed(error);
    isProven = false;
    failures += 1;
    nextAt = clock.now() + retryMs(error, failures);
  };

  const read = async (controller: AbortController): Promise<void> => {
    const began = clock.now();
    try {
      const hasNews = await readAnswer(controller);
      nextAt = hasNews ? 0 : began + REPEAT_REST_MS;
    } catch (error) {
      if (!controller.signal.aborted) fail(error);
    } finally {
      reading = undefined;
      deps.onNews();
    }
  };

  const askAgain = (): void => {
    if (reading || clock.now() < nextAt) return;
    reading = new AbortController();
    void read(reading);
  };

  return {
    position: () => position,
    restMs: () => (reading ? OPEN_REST_MS : Math.max(1, nextAt - clock.now())),
    poll: async () => {
      if (expired && ready.length === 0) throw expired;
      if (!expired) askAgain();
      const events = ready;
      ready = [];
      position = seen;
      taken();
      return events;
    },
    close: () => {
      reading?.abort();
      taken();
    },
  };
};
