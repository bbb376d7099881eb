/** Reads the node's work when it is announced, and now and then in any case, and hands it on. */
import { type BackOffDelays, backOff } from '../../shared/kube/values/back-off.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import type { WorkSink } from '../ports/api/work-sink.ts';
import type { WorkSource } from '../ports/api/work-source.ts';
import type { Clock } from '../ports/machine/clock.ts';
import type { Log } from '../ports/machine/shutdown.ts';
import {
  joinedPages,
  type NodeWork,
  parseWorkPage,
  type WorkOwner,
  type WorkPage,
} from '../rules/registration/node-work.ts';
import { createWaker } from '../waker.ts';

export interface WorkReaderDeps {
  readonly source: WorkSource;
  readonly sink: WorkSink;
  readonly owner: WorkOwner;
  readonly clock: Pick<Clock, 'uptime' | 'sleep'>;
  readonly log: Log;
  /** Work of another revision has come, and is handed on next: what else is known of the Node may have changed, too. */
  onChange(): void;
}

export interface WorkReader {
  /** A beat was answered with this revision. */
  announced(revision: string): void;
  /** Reads until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** How old the work may be, announced or not. */
const MOST_AGE_MS = 300_000;
/** The same while objects are followed, whose changes are not announced. */
const MOST_AGE_FOLLOWED_MS = 60_000;
const RETRY: BackOffDelays = { firstMs: 1_000, mostMs: 10_000 };

interface State {
  /** What was handed on last; `undefined`: nothing, or something has gone wrong since. */
  known: { readonly revision: string; readonly etag?: string } | undefined;
  announced: string | undefined;
  isAnnounced: boolean;
  /** When the work was last handed on, and when it was last looked at (ms of uptime). */
  handedAt: number;
  lookedAt: number;
  /** Looks in a row that have failed. */
  failures: number;
}

interface ReadWork {
  readonly work: NodeWork;
  /** Asks whether something has changed; absent: that cannot be asked. */
  readonly etag?: string;
}

/** Milliseconds until the next look; 0: now. */
const pauseOf = (
  { known, isAnnounced, handedAt, lookedAt }: State,
  { sink, clock }: WorkReaderDeps,
): number => {
  if (!known || isAnnounced) return 0;
  const ends = [handedAt + MOST_AGE_MS, ...(sink.followsObjects() ? [lookedAt + MOST_AGE_FOLLOWED_MS] : [])];
  return Math.max(0, Math.min(...ends) - clock.uptime());
};

/** A look whose only reason is that objects may have changed asks whether they have. */
const etagFor = ({ known, isAnnounced, handedAt }: State, now: number): string | undefined =>
  isAnnounced || now - handedAt >= MOST_AGE_MS ? undefined : known?.etag;

const parsed = (body: unknown, owner: WorkOwner, first?: WorkPage): WorkPage => {
  const page = parseWorkPage(body, owner, first);
  if ('fault' in page) throw new Error(page.fault);
  return page;
};

const furtherPages = async (
  source: WorkSource,
  owner: WorkOwner,
  first: WorkPage,
): Promise<readonly WorkPage[]> => {
  const pages: WorkPage[] = [];
  for (let { next } = first; next !== undefined; next = pages.at(-1)?.next) {
    const answer = await source.page(next);
    if (answer === 'unchanged') throw new Error('a page is "unchanged" that was not known');
    pages.push(parsed(answer.body, owner, first));
  }
  return pages;
};

/**
 * Reads all pages of the node's work. Rejects unless the whole answer came, from the right cluster. The `etag` is that of the
 * first page, so it says nothing about an answer that has several.
 */
const readWork = async (
  source: WorkSource,
  owner: WorkOwner,
  etag?: string,
): Promise<ReadWork | 'unchanged'> => {
  const answer = await source.page(undefined, etag);
  if (answer === 'unchanged') return 'unchanged';
  const first = parsed(answer.body, owner);
  const rest = await furtherPages(source, owner, first);
  const work = joinedPages(first, rest);
  return rest.length === 0 && answer.etag !== undefined ? { work, etag: answer.etag } : { work };
};

const look = async (state: State, deps: WorkReaderDeps): Promise<void> => {
  const startedAt = deps.clock.uptime();
  const etag = etagFor(state, startedAt);
  state.isAnnounced = false;
  const read = await readWork(deps.source, deps.owner, etag);
  state.lookedAt = startedAt;
  if (read === 'unchanged') return;
  const { work, etag: next } = read;
  if (state.known?.revision !== work.revision) deps.onChange();
  await deps.sink.apply(work);
  state.known = { revision: work.revision, ...optional('etag', next) };
  state.handedAt = startedAt;
  if (state.announced === work.revision) state.isAnnounced = false;
};

/** After an error nothing is known: the next look asks for everything. */
const tryLook = async (state: State, deps: WorkReaderDeps): Promise<number> => {
  try {
    await look(state, deps);
    state.failures = 0;
    return 0;
  } catch (error) {
    deps.log('the work of the node could not be read', error);
    state.known = undefined;
    state.failures += 1;
    return backOff(RETRY, state.failures - 1);
  }
};

export const createWorkReader = (deps: WorkReaderDeps): WorkReader => {
  const waker = createWaker(deps.clock);
  const state: State = {
    known: undefined,
    announced: undefined,
    isAnnounced: false,
    handedAt: 0,
    lookedAt: 0,
    failures: 0,
  };
  return {
    announced: (revision) => {
      state.announced = revision;
      if (state.known?.revision === revision) return;
      state.isAnnounced = true;
      waker.wake();
    },
    run: async (signal) => {
      signal.addEventListener('abort', waker.wake, { once: true });
      while (!signal.aborted) {
        const retryMs = await tryLook(state, deps);
        await deps.clock.sleep(retryMs);
        // A wake-up that came for work which has been read since is nothing to do.
        for (let pause = pauseOf(state, deps); pause > 0 && !signal.aborted; pause = pauseOf(state, deps))
          await waker.wait(Math.min(pause, MOST_AGE_FOLLOWED_MS));
      }
    },
  };
};
