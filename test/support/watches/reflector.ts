/** An informer's reader: lists, watches, goes on from where it was, and lists again when it is told to. */
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import type { Clock } from '../../../shared/ports/process/clock.ts';

export interface ReflectedEvent {
  readonly type: string;
  readonly object: ApiObject;
}

/** How requests get to a server. Both may reject. */
export interface Server {
  list(url: string): Promise<{ readonly status: number; readonly json: unknown }>;
  watch(url: string, signal: AbortSignal): AsyncIterable<ReflectedEvent>;
}

/** How the state is learnt: by pages, or by a watch that begins with it. */
export type StartsBy = 'list' | 'pages' | 'sendInitialEvents' | 'version 0';

/** What was learnt between two lists. */
export interface Session {
  readonly listed: readonly ApiObject[];
  readonly listedAt: number;
  readonly events: ReflectedEvent[];
}

export interface Reflector {
  readonly sessions: readonly Session[];
  /** By `namespace/name`. */
  readonly store: ReadonlyMap<string, ApiObject>;
  /** Everything up to here has been seen. */
  version(): number;
  /** Runs until aborted. */
  run(signal: AbortSignal): Promise<void>;
}

export interface ReflectorOptions {
  /** One of several servers, chosen for each request. */
  readonly server: () => Server;
  /** Path of the collection. */
  readonly path: string;
  /** Query of the selectors. */
  readonly selector: string;
  readonly startsBy: StartsBy;
  readonly clock: Clock;
  readonly random: () => number;
}

interface Page {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly ApiObject[];
}

const BOOKMARKS = 'allowWatchBookmarks=true';
const STATE_END = 'k8s.io/initial-events-end';
const pathOf = ({ metadata }: ApiObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;
const versionOf = ({ metadata }: ApiObject): number => Number(metadata.resourceVersion);

/** The server does not know the version any more: list again. */
class Expired extends Error {}

const STARTS: Readonly<Record<Exclude<StartsBy, 'list' | 'pages'>, string>> = {
  sendInitialEvents: 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
  'version 0': 'resourceVersion=0',
};

export const createReflector = (options: ReflectorOptions): Reflector => {
  const { server, path, selector, startsBy, clock, random } = options;
  const store = new Map<string, ApiObject>();
  const sessions: Session[] = [];
  let version = 0;

  const begin = (listed: readonly ApiObject[], listedAt: number): void => {
    store.clear();
    for (const object of listed) store.set(pathOf(object), object);
    sessions.push({ listed, listedAt, events: [] });
    version = listedAt;
  };

  const take = (event: ReflectedEvent): void => {
    const { type, object } = event;
    if (type === 'ERROR') throw new Expired((object as unknown as { message: string }).message);
    version = versionOf(object);
    if (type === 'BOOKMARK') return;
    sessions.at(-1)?.events.push(event);
    if (type === 'DELETED') store.delete(pathOf(object));
    else store.set(pathOf(object), object);
  };

  const page = async (query: string): Promise<Page> => {
    const { status, json } = await server().list(`${path}?${selector}&${query}`);
    if (status === 410) throw new Expired('the list is too old');
    if (status !== 200) throw new Error(`the list was answered ${status}`);
    return json as Page;
  };

  const list = async (limit: string): Promise<void> => {
    let next = await page(limit);
    const listed = [...next.items];
    while (next.metadata.continue) {
      await clock.sleep(random() * 2_000);
      next = await page(`${limit}&continue=${next.metadata.continue}`);
      listed.push(...next.items);
    }
    begin(listed, Number(next.metadata.resourceVersion));
  };

  const timeout = (): string => `timeoutSeconds=${1 + Math.floor(random() * 20)}&${BOOKMARKS}`;

  const followState = async (query: string, signal: AbortSignal): Promise<void> => {
    let state: ApiObject[] | undefined = [];
    for await (const event of server().watch(`${path}?watch=1&${selector}&${query}&${timeout()}`, signal)) {
      const isEnd = event.object.metadata.annotations?.[STATE_END] === 'true';
      if (isEnd && state) {
        begin(state, versionOf(event.object));
        state = undefined;
      } else if (state && event.type === 'ADDED') state.push(event.object);
      else take(event);
    }
    if (state) throw new Error('the stream ended before the state did');
  };

  const follow = async (signal: AbortSignal): Promise<void> => {
    const query = `resourceVersion=${random() < 0.03 ? 1 : version}&${timeout()}`;
    for await (const event of server().watch(`${path}?watch=1&${selector}&${query}`, signal)) take(event);
  };

  const start = (signal: AbortSignal): Promise<void> => {
    if (startsBy === 'list') return list('');
    return startsBy === 'pages' ? list('limit=2') : followState(STARTS[startsBy], signal);
  };

  /** Goes on for as long as the server lets it; whatever fails is tried again from the last version. */
  const untilExpired = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted)
      try {
        await follow(signal);
      } catch (error) {
        if (error instanceof Expired) return;
        await clock.sleep(100);
      }
  };

  return {
    sessions,
    store,
    version: () => version,
    run: async (signal) => {
      while (!signal.aborted) {
        const known = sessions.length;
        await start(signal).catch(() => clock.sleep(100));
        if (sessions.length > known) await untilExpired(signal);
      }
    },
  };
};
