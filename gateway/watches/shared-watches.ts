/** Lets all clients that watch the same objects share one watch of the API. */
import type { WatchChange } from '../../shared/apiserver/changes/change.ts';
import { createFanOut, type FanOut } from '../../shared/apiserver/feed/fan-out.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import { checkSelections, type GatewayLimits } from '../forward/admission.ts';
import {
  type Credentials,
  createWatchClients,
  impersonationOf,
  type WatchClient,
} from '../upstream/credentials.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { createUpstreamFeed } from '../upstream/upstream-feed.ts';
import type { WatchTarget } from '../upstream/watch-target.ts';

export interface SharedWatches {
  /** Throws 429 if a watch of this target would be one selection too many. */
  check(target: WatchTarget, credentials: Credentials): void;
  /** The changes of a target, for a client that may watch it. */
  changes(target: WatchTarget, client: WatchClient): FanOut<WatchChange>;
  /** Number of selections that are followed now. */
  count(): number;
}

export interface SharedWatchesDeps {
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly limits: GatewayLimits;
  /** Reports the state of one target's watch: failures that are retried, and recovery. */
  readonly teller: (target: WatchTarget) => { failed(error: unknown): void; answered(): void };
}

interface Shared {
  readonly fanOut: FanOut<WatchChange>;
  readonly clients: ReturnType<typeof createWatchClients>;
}

const createShared = (target: WatchTarget, deps: SharedWatchesDeps): Shared => {
  const { upstream, clock } = deps;
  const clients = createWatchClients();
  const { failed, answered } = deps.teller(target);
  const { credentials, refused } = clients;
  const onNews = (): void => fanOut.ring();
  const feedDeps = { upstream, clock, target, credentials, refused, failed, answered, onNews };
  const fanOut = createFanOut<WatchChange>(
    // The feed begins at the position of its first subscriber. Subscribers with earlier positions catch up.
    { head: async (wanted = 0) => wanted, follow: (after) => createUpstreamFeed(feedDeps, after) },
    { clock, onError: failed },
  );
  return { fanOut, clients };
};

// Without impersonation, all clients that may list the objects see the same ones.
const keyOf = ({ path, selectors }: WatchTarget, credentials: Credentials): string =>
  `${path}?${selectors.toString()} ${impersonationOf(credentials)}`;

/** Starts a watch of the API with its first client and ends it with the last. */
export const createSharedWatches = (deps: SharedWatchesDeps): SharedWatches => {
  const all = new Map<string, Shared>();

  const sharedOf = (key: string, target: WatchTarget): Shared => {
    const found = all.get(key) ?? createShared(target, deps);
    all.set(key, found);
    return found;
  };

  // Lookup and count happen in one synchronous step, so that no client joins a watch that is being closed.
  const subscribe = (
    target: WatchTarget,
    client: WatchClient,
    ...[after, signal]: Parameters<FanOut<WatchChange>['subscribe']>
  ) => {
    const key = keyOf(target, client.credentials);
    const { fanOut, clients } = sharedOf(key, target);
    const subscription = fanOut.subscribe(after, signal);
    clients.add(client);
    const close = (): void => {
      subscription.close();
      clients.remove(client);
      if (fanOut.subscribers() === 0 && all.get(key)?.fanOut === fanOut) all.delete(key);
    };
    return { ...subscription, close };
  };

  return {
    count: () => all.size,
    check: (target, credentials) => {
      if (!all.has(keyOf(target, credentials))) checkSelections(all.size, deps.limits);
    },
    changes: (target, client) => ({
      subscribe: (after, signal) => subscribe(target, client, after, signal),
      ring: () => all.get(keyOf(target, client.credentials))?.fanOut.ring(),
      subscribers: () => all.get(keyOf(target, client.credentials))?.fanOut.subscribers() ?? 0,
    }),
  };
};
