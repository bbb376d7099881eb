/** One watch of the API for all clients that watch the same. */
import type { Change } from '../../shared/apiserver/watch/change.ts';
import { createFanOut, type FanOut } from '../../shared/apiserver/watch/fan-out.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Upstream } from './upstream.ts';
import { createUpstreamFeed } from './upstream-feed.ts';

export interface WatchTarget {
  /** Of the collection. */
  readonly path: string;
  /** `labelSelector` and `fieldSelector`. */
  readonly selectors: URLSearchParams;
}

export interface SharedWatches {
  /** The changes of a target, on behalf of a client who may watch it; the first one's position is where they begin. */
  changes(target: WatchTarget, authorization: string | undefined): FanOut<Change>;
  /** Targets that are followed now. */
  count(): number;
}

export interface SharedWatchesDeps {
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Whom to ask for: any of those who watch; one that is refused comes last from then on. */
const createCredentials = () => {
  let known: readonly (string | undefined)[] = [];
  return {
    current: () => known[0],
    add: (one: string | undefined): void => {
      if (!known.includes(one)) known = [...known, one];
    },
    refused: (one: string | undefined): void => {
      known = [...known.filter((other) => other !== one), one];
    },
  };
};

interface Shared {
  readonly fanOut: FanOut<Change>;
  readonly credentials: ReturnType<typeof createCredentials>;
}

const createShared = (target: WatchTarget, deps: SharedWatchesDeps, release: () => void): Shared => {
  const credentials = createCredentials();
  let from = 0;
  const fanOut = createFanOut<Change>(
    {
      head: async () => from,
      follow: (after) =>
        createUpstreamFeed(
          {
            ...deps,
            ...target,
            authorization: credentials.current,
            refused: credentials.refused,
            onNews: () => fanOut.ring(),
          },
          after,
        ),
      release,
    },
    deps,
  );
  const subscribe: FanOut<Change>['subscribe'] = (after, signal) => {
    if (fanOut.subscribers() === 0) from = after;
    return fanOut.subscribe(after, signal);
  };
  return { credentials, fanOut: { ...fanOut, subscribe } };
};

export const createSharedWatches = (deps: SharedWatchesDeps): SharedWatches => {
  const all = new Map<string, Shared>();
  return {
    count: () => all.size,
    changes: (target, authorization) => {
      const key = `${target.path}?${target.selectors}`;
      const found = all.get(key) ?? createShared(target, deps, () => all.delete(key));
      all.set(key, found);
      found.credentials.add(authorization);
      return found.fanOut;
    },
  };
};
