/** One watch of the API for all clients that watch the same. */
import type { Change } from '../../shared/apiserver/watch/change.ts';
import { createFanOut, type FanOut } from '../../shared/apiserver/watch/fan-out.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { checkSelections, type GatewayLimits } from './admission.ts';
import { createCredentials, type WatchClient } from './credentials.ts';
import type { Upstream } from './upstream.ts';
import { createUpstreamFeed } from './upstream-feed.ts';
import type { WatchTarget } from './watch-target.ts';

export interface SharedWatches {
  /** Throws 429 when this would be one selection too many. */
  check(target: WatchTarget): void;
  /** The changes of a target, on behalf of a client who may watch it. */
  changes(target: WatchTarget, client: WatchClient): FanOut<Change>;
  /** Selections that are followed now. */
  count(): number;
}

export interface SharedWatchesDeps {
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly limits: GatewayLimits;
  /** What is told of the watch of one target: failures that are tried again, and that it goes on. */
  readonly teller: (target: WatchTarget) => { failed(error: unknown): void; answered(): void };
}

interface Shared {
  readonly fanOut: FanOut<Change>;
  readonly credentials: ReturnType<typeof createCredentials>;
}

const createShared = (target: WatchTarget, deps: SharedWatchesDeps): Shared => {
  const { upstream, clock } = deps;
  const credentials = createCredentials();
  const { failed, answered } = deps.teller(target);
  const { current: authorization, refused } = credentials;
  const onNews = (): void => fanOut.ring();
  const feedDeps = { upstream, clock, target, authorization, refused, failed, answered, onNews };
  const fanOut = createFanOut<Change>(
    // It begins where its first subscriber does; who began earlier catches up.
    { head: async (wanted = 0) => wanted, follow: (after) => createUpstreamFeed(feedDeps, after) },
    { clock, onError: failed },
  );
  return { fanOut, credentials };
};

const keyOf = ({ path, selectors }: WatchTarget): string => `${path}?${selectors.toString()}`;

export const createSharedWatches = (deps: SharedWatchesDeps): SharedWatches => {
  const all = new Map<string, Shared>();

  const sharedOf = (target: WatchTarget): Shared => {
    const found = all.get(keyOf(target)) ?? createShared(target, deps);
    all.set(keyOf(target), found);
    return found;
  };

  // Found and counted in one step: nobody can join what is being given up.
  const subscribe = (
    target: WatchTarget,
    client: WatchClient,
    ...[after, signal]: Parameters<FanOut<Change>['subscribe']>
  ) => {
    const { fanOut, credentials } = sharedOf(target);
    const subscription = fanOut.subscribe(after, signal);
    credentials.add(client);
    const close = (): void => {
      subscription.close();
      credentials.remove(client);
      if (fanOut.subscribers() === 0 && all.get(keyOf(target))?.fanOut === fanOut) all.delete(keyOf(target));
    };
    return { ...subscription, close };
  };

  return {
    count: () => all.size,
    check: (target) => {
      if (!all.has(keyOf(target))) checkSelections(all.size, deps.limits);
    },
    changes: (target, client) => ({
      subscribe: (after, signal) => subscribe(target, client, after, signal),
      ring: () => all.get(keyOf(target))?.fanOut.ring(),
      subscribers: () => all.get(keyOf(target))?.fanOut.subscribers() ?? 0,
    }),
  };
};
