/** The watches of one process, and what they share. */

import type { ApiObject } from '../../kube/types/meta.ts';
import type { LogEntry } from '../../ports/store/change-log.ts';
import type { WatchSlots } from '../../ports/store/watch-slots.ts';
import type { CommitDeps } from '../../store/commit/commit-protocol.ts';
import { applyDiff } from '../../store/commit/object-diff.ts';
import { createRevisions } from '../../store/commit/revisions.ts';
import type { Lister, ListRequest } from '../../store/lists/lists.ts';
import { createLogReader, fromTheFuture } from '../../store/log/log-reader.ts';
import { HOLE_AGE_MS } from '../../store/log/slot-resolver.ts';
import type { WatchChange } from '../changes/change.ts';
import { textOf } from '../changes/lines.ts';
import type { Source } from '../changes/source.ts';
import { createFanOut } from './fan-out.ts';
import type { StatePart, StateRequest, Watched } from './watched.ts';

/** How watches end on this platform. */
export interface WatchLimits {
  /** Milliseconds of the longest watch; `undefined`: as long as the client wants. */
  readonly longestMs?: number;
  /** Whether the platform sends responses as a whole: a watch then ends with its first events. */
  readonly isBuffered: boolean;
  /** Most open watches of one user; `undefined`: no limit. */
  readonly perUser?: { readonly most: number; readonly slots: WatchSlots };
}

/** For hosts, where responses stream and connections cost nothing. */
export const HOST_WATCH_LIMITS: WatchLimits = { isBuffered: false };

/**
 * Longest streamed watch on Lambda (ms). An environment is billed for as long as a watch lasts, even after its
 * client has disconnected; clients reconnect at once.
 */
const LONGEST_STREAM_MS = 5 * 60_000;
/** Longest buffered watch on Lambda (ms): it ends before the function's timeout. */
const LONGEST_POLL_MS = 50_000;
/** Most streamed watches of one user; more clients than this share a gateway. */
const STREAMS_PER_USER = 20;

/** Milliseconds between two reads of a log without new entries, unless a notification comes earlier. */
const POLL_MS = 500;
/** Milliseconds between two reads while the log has a gap: a revision that is assigned but not written yet. */
const HOLE_POLL_MS = HOLE_AGE_MS / 8;

/** For a Lambda function, whose URL either streams or buffers. */
export const functionWatchLimits = (streams: boolean, slots: WatchSlots): WatchLimits =>
  streams
    ? { isBuffered: false, longestMs: LONGEST_STREAM_MS, perUser: { most: STREAMS_PER_USER, slots } }
    : { isBuffered: true, longestMs: LONGEST_POLL_MS };

/** All watches that one process serves. */
export interface Watches {
  readonly limits: WatchLimits;
  /** A stored resource, followed by its change log. */
  stored(resource: string): Watched;
  /** A resource without a change log; `make` is called once per resource. */
  scanned(resource: string, make: (onError: WatchesDeps['onError']) => Watched): Watched;
  /** Reports that an object of this resource was written by this process itself. */
  committed(resource: string): void;
  /** Number of open watches. */
  count(): number;
}

/** What the watches need. */
export interface WatchesDeps extends CommitDeps {
  readonly lister: Lister;
  readonly limits: WatchLimits;
  /** Called with the error of a failed read, which is tried again. */
  readonly onError: (error: unknown) => void;
}

/** Most objects of the current state that are read at a time: a slow client holds no more than one read in memory. */
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

const withVersionOf = (object: ApiObject, { metadata }: ApiObject): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: metadata.resourceVersion ?? '' },
});

/** An entry of the log as a change. The previous object is computed once for all watches, and only if one needs it. */
const changeOf = ({ revision, type, object, before }: LogEntry): WatchChange => {
  let previous: ApiObject | undefined;
  return {
    position: revision,
    characters: textOf(object).length,
    type,
    object,
    previous: () => {
      if (before === null) return undefined;
      previous ??= withVersionOf(applyDiff(object, before), object);
      return previous;
    },
  };
};

/** The change log of a resource as a source. Positions are revisions. */
const createLogSource = (deps: CommitDeps, resource: string): Source<WatchChange> => {
  const revisions = createRevisions(deps);
  return {
    head: async () => (await revisions.current(resource)).counter,
    follow: (after) => {
      const reader = createLogReader(deps, resource, after);
      return {
        poll: async () => (await reader.poll()).map(changeOf),
        position: reader.position,
        restMs: () => (reader.isWaiting() ? HOLE_POLL_MS : POLL_MS),
      };
    },
  };
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

/** Creates the watches of a process; feeds start with the first watch of a resource. */
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
