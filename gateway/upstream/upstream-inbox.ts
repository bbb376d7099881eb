/** Buffers the events of one upstream watch until they are polled. */
import type { WatchChange } from '../../shared/apiserver/changes/change.ts';
import type { Status } from '../../shared/kube/errors/status-error.ts';
import type { ApiObject } from '../../shared/kube/types/meta.ts';
import { errorOf } from './upstream-answer.ts';

/** Most buffered events, and most characters of them: above either no more are read. */
const MOST_READY = 1_000;
const MOST_CHARACTERS = 8_388_608;

export interface UpstreamInbox {
  /** The highest version of the events and bookmarks so far. */
  seen(): number;
  /** Adds the event of a line of JSON; returns whether it is new. Throws the `StatusError` of an event of type ERROR. */
  take(line: string): boolean;
  /** Call it when another answer begins. It may repeat events of earlier ones. */
  nextAnswer(): void;
  /** Resolves when there is room for another event, or when `signal` was aborted and `release` is called. */
  room(signal: AbortSignal): Promise<void>;
  isEmpty(): boolean;
  /** Removes and returns all buffered changes. */
  drain(): readonly WatchChange[];
  /** Ends a wait for room. */
  release(): void;
}

/** An event of a watch of the API. */
interface UpstreamEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: ApiObject;
}

const versionOf = ({ object }: UpstreamEvent): number => Number(object.metadata.resourceVersion ?? 0);

/** The API has applied the selectors: an object of a MODIFIED event matched before and matches now. */
const changeOf = (
  type: WatchChange['type'],
  { object }: UpstreamEvent,
  position: number,
  characters: number,
): WatchChange => ({
  position,
  characters,
  type,
  object,
  previous: () => object,
});

const keyOf = ({ type, object: { metadata } }: UpstreamEvent): string =>
  `${type} ${metadata.namespace ?? ''}/${metadata.name} ${metadata.resourceVersion}`;

/**
 * For resources outside the change log, a resumed watch repeats events of the last few seconds before its version. An event that
 * one answer does not repeat is not repeated by later ones: it is enough to remember the events of two answers.
 */
const createDuplicateFilter = () => {
  let before: ReadonlySet<string> = new Set();
  let now = new Set<string>();
  return {
    /** Call it when another answer begins. */
    nextAnswer: (): void => {
      // An answer that broke off early may not have repeated everything.
      before = new Set([...(now.size < before.size ? before : []), ...now]);
      now = new Set();
    },
    /** Whether the event was delivered before. From now on it counts as delivered. */
    isTold: (event: UpstreamEvent): boolean => {
      const key = keyOf(event);
      const isTold = before.has(key) || now.has(key);
      now.add(key);
      return isTold;
    },
  };
};

/** `after`: the version after which the watch continues. */
export const createUpstreamInbox = (after: number): UpstreamInbox => {
  const repeats = createDuplicateFilter();
  let seen = after;
  let ready: WatchChange[] = [];
  let characters = 0;
  let release = (): void => undefined;

  return {
    seen: () => seen,
    take: (line) => {
      const event = JSON.parse(line) as UpstreamEvent;
      const { type } = event;
      if (type === 'ERROR') throw errorOf(event.object as unknown as Status);
      const isRepeated = type !== 'BOOKMARK' && repeats.isTold(event);
      const isNew = !isRepeated && (type !== 'BOOKMARK' || versionOf(event) > seen);
      // Resources outside the change log may send versions out of order.
      seen = Math.max(seen, versionOf(event));
      if (!isRepeated && type !== 'BOOKMARK') {
        ready.push(changeOf(type, event, seen, line.length));
        characters += line.length;
      }
      return isNew;
    },
    nextAnswer: repeats.nextAnswer,
    room: async (signal) => {
      while ((ready.length >= MOST_READY || characters >= MOST_CHARACTERS) && !signal.aborted)
        await new Promise<void>((resolve) => {
          release = resolve;
        });
    },
    isEmpty: () => ready.length === 0,
    drain: () => {
      const events = ready;
      ready = [];
      characters = 0;
      release();
      return events;
    },
    release: () => release(),
  };
};
