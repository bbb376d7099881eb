/** What all watches of a process share. */
import type { WatchSlots } from '../../ports/watch-slots.ts';
import type { CommitDeps } from '../../state/commit-protocol.ts';
import type { Lister, ListRequest } from '../../state/lists.ts';
import { fromTheFuture } from '../../state/log-reader.ts';
import { createFanOut } from './fan-out.ts';
import { createLogSource } from './log-source.ts';
import type { StatePart, StateRequest, Watched } from './watched.ts';

/** How watches end here. */
export interface WatchLimits {
  /** Milliseconds of the longest watch; `undefined`: as long as the client wants. */
  readonly longestMs?: number;
  /** The platform sends answers as a whole: a watch ends with its first events. */
  readonly isBuffered: boolean;
  /** At most so many watches of one user; `undefined`: any number. */
  readonly perUser?: { readonly most: number; readonly slots: WatchSlots };
}

/** Where answers stream and connections cost nothing. */
export const HOST_WATCH_LIMITS: WatchLimits = { isBuffered: false };

/** An environment is paid for as long as a watch lasts, also when its client has gone: clients come back at once. */
const LONGEST_STREAM_MS = 5 * 60_000;
/** Ends before its function does. */
const LONGEST_POLL_MS = 50_000;
/** Streams of one user: more clients than this share a gateway. */
const STREAMS_PER_USER = 20;

/** How watches end in a function, whose URL streams or does not. */
export const functionWatchLimits = (streams: boolean, slots: WatchSlots): WatchLimits =>
  streams
    ? { isBuffered: false, longestMs: LONGEST_STREAM_MS, perUser: { most: STREAMS_PER_USER, slots } }
    : { isBuffered: true, longestMs: LONGEST_POLL_MS };

export interface Watches {
  readonly limits: WatchLimits;
  /** A stored resource, followed by its change log. */
  stored(resource: string): Watched;
  /** A resource outside of the log; `make` is called once. */
  scanned(resource: string, make: (onError: WatchesDeps['onError']) => Watched): Watched;
  /** Something of this resource was committed here. */
  committed(resource: string): void;
  /** Watches that are open now. */
  count(): number;
}

export interface WatchesDeps extends CommitDeps {
  readonly lister: Lister;
  readonly limits: WatchLimits;
  /** A read failed and is tried again. */
  readonly onError: (error: unknown) => void;
}

/** Objects of the present state that are read at a time: a client that takes them slowly holds no more. */
const ROWS_AT_ONCE = 1_000;

const pagesOf = async function* (
  lister: Lister,
  resource: string,
  request: StateRequest,
): AsyncGenerator<StatePart> {
  let at: ListRequest['continueAt'];
  do {
    const position = at ? { continueAt: at } : {};
    const page = await lister.list({ ...request, resource, limit: ROWS_AT_ONCE, ...position });
    yield { position: page.revision, objects: page.objects };
    at = page.next;
  } while (at);
};

const storedWatched = (resource: string, { lister, onError, ...deps }: WatchesDeps): Watched => {
  const source = createLogSource(deps, resource);
  return {
    changes: createFanOut(source, { clock: deps.clock, onError }),
    state: (request) => pagesOf(lister, resource, request),
    positionOf: async (version) => {
      const newest = await source.head();
      if (version > newest) throw fromTheFuture(version, newest);
      return version;
    },
    head: source.head,
  };
};

export const createWatches = (deps: WatchesDeps): Watches => {
  const watched = new Map<string, Watched>();
  const scanned: Watches['scanned'] = (resource, make) => {
    const found = watched.get(resource) ?? make(deps.onError);
    watched.set(resource, found);
    return found;
  };
  return {
    limits: deps.limits,
    scanned,
    stored: (resource) => scanned(resource, () => storedWatched(resource, deps)),
    committed: (resource) => watched.get(resource)?.changes.ring(),
    count: () => [...watched.values()].reduce((sum, { changes }) => sum + changes.subscribers(), 0),
  };
};
