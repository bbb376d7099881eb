/** The record of the fleet in the page. It is read while some view shows it. */
import {
  type HistoryCopy,
  type HistoryPage,
  NO_HISTORY,
  withPage,
} from '../../../shared/rules/history/history-page.ts';
import type { LiveStore } from '../live/store.ts';

/** What the server says besides the record. */
interface Answer extends HistoryPage {
  readonly isLive: boolean;
  readonly problem?: string;
}

/** The record, and how it stands. */
export interface HistoryStore {
  readonly copy: () => HistoryCopy;
  /** Everything that the server has is here, and the server has everything. */
  readonly isLive: () => boolean;
  readonly problem: () => string | undefined;
  /** Calls the listener after each change, and reads what is new. Returns what ends it. */
  readonly follow: (listener: () => void) => () => void;
}

/** Between two requests, ms: at least, and at most. */
const [SOON_MS, LATEST_MS] = [2_000, 30_000];

/** Longest time (ms) for a piece of the log. */
const PIECE_MS = 30_000;

/** The answer of the page's server. Throws in words of people. */
const answered = async (path: string): Promise<Response> => {
  const answer = await fetch(path, { signal: AbortSignal.timeout(PIECE_MS) }).catch(() => {
    throw new Error('the server of this page does not answer');
  });
  if (!answer.ok) throw new Error(`the server of this page answered ${answer.status}`);
  return answer;
};

/** What is said before anything of the log has come. */
export const readingText = (store: Pick<HistoryStore, 'problem'>): string => {
  const problem = store.problem();
  return problem === undefined
    ? 'The log of changes is being read…'
    : `The log of changes cannot be read: ${problem}. The page tries again by itself.`;
};

export const createHistoryStore = (live: LiveStore): HistoryStore => {
  const listeners = new Set<() => void>();
  let copy = NO_HISTORY;
  let [isLive, isReading]: [boolean, boolean] = [false, false];
  let problem: string | undefined;
  let [lastAt, timer, stopLive]: [number, number, () => void] = [0, 0, () => undefined];

  const readPage = async (): Promise<boolean> => {
    const position = new URLSearchParams(
      Object.entries(copy.position).map(([name, value]) => [name, String(value)]),
    );
    const answer = await answered(`data/history?${position}`);
    const page = (await answer.json()) as Answer;
    copy = withPage(copy, page);
    isLive = page.isLive && page.isWhole;
    problem = page.problem;
    return page.isWhole;
  };

  const readAll = async (): Promise<void> => {
    while (!(await readPage())) for (const listener of listeners) listener();
  };

  const read = async (): Promise<void> => {
    if (isReading || document.hidden) return;
    [isReading, lastAt] = [true, Date.now()];
    try {
      await readAll();
    } catch (error) {
      [isLive, problem] = [false, error instanceof Error ? error.message : String(error)];
    }
    isReading = false;
    for (const listener of listeners) listener();
    plan(isLive ? LATEST_MS : SOON_MS);
  };

  const plan = (inMs: number): void => {
    clearTimeout(timer);
    if (listeners.size > 0) timer = window.setTimeout(() => void read(), Math.max(0, inMs));
  };

  const start = (): void => {
    stopLive = live.listen((changed) => {
      if (changed.length > 0) plan(Math.max(0, lastAt + SOON_MS - Date.now()));
    });
    void read();
  };

  return {
    copy: () => copy,
    isLive: () => isLive,
    problem: () => problem,
    follow: (listener) => {
      listeners.add(listener);
      if (listeners.size === 1) start();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearTimeout(timer);
        stopLive();
      };
    },
  };
};

const stores = new WeakMap<LiveStore, HistoryStore>();

/** The one store of the page. */
export const historyOf = (live: LiveStore): HistoryStore => {
  const store = stores.get(live) ?? createHistoryStore(live);
  stores.set(live, store);
  return store;
};
