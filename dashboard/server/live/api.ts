/** The API as the dashboard's server reads it: over a gateway, which shares watches and keeps them open over answers that end. */

import { errorOf, refusalOf } from '../../../gateway/upstream/upstream-answer.ts';
import type { Status } from '../../../shared/kube/errors/status-error.ts';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import { type ApiAnswer, type ApiDeps, answered, createSend, textOf } from '../requests/requests.ts';

/** A page of a list, at one version. */
export interface ListPage {
  readonly position: string;
  readonly items: readonly ApiObject[];
}

/** An event of a watch. */
export interface ApiEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: ApiObject;
}

/** Reads of the API. Paths have their query. An answer that does not come within 15 s is an error: connections die in silence. */
export interface DashboardApi {
  get(path: string): Promise<ApiAnswer>;
  /** All pages of a collection. Throws the API's refusal. */
  list(path: string, signal?: AbortSignal): AsyncGenerator<ListPage>;
  /** The events after a version, until the watch ends. Throws the API's refusal, 410 among them. */
  watch(path: string, after: string, signal: AbortSignal): AsyncGenerator<ApiEvent>;
}

/** Objects in a page of a list. */
const PAGE = 500;
/** How long (ms) the API may take for a page of a list, for an object, and for the opening of a watch. */
const PAGE_MS = 15_000;

const withQuery = (path: string, more: Readonly<Record<string, string>>): string =>
  `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(more).toString()}`;

async function* eventsOf(pieces: AsyncIterable<string>): AsyncGenerator<ApiEvent> {
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') continue;
      const event = JSON.parse(line) as ApiEvent | { readonly type: 'ERROR'; readonly object: Status };
      if (event.type === 'ERROR') throw errorOf(event.object);
      yield event;
    }
  }
}

/** The refusal, or the failure of a request that had to be given up. */
const failureOf = (what: string, late: AbortSignal, status: number, text: string): Error =>
  late.aborted ? new Error(`no answer to ${what} within ${PAGE_MS / 1_000} s`) : refusalOf(status, {}, text);

/** Creates the reads over `serve`, which is a gateway. */
export const createDashboardApi = (deps: ApiDeps): DashboardApi => {
  const send = createSend(deps);

  async function* list(path: string, signal?: AbortSignal): AsyncGenerator<ListPage> {
    let next: string | undefined;
    do {
      const page = { limit: String(PAGE), ...(next ? { continue: next } : {}) };
      const late = AbortSignal.timeout(PAGE_MS);
      const until = { signal: signal ? AbortSignal.any([signal, late]) : late };
      const { status, text } = await answered(send('GET', withQuery(path, page), until));
      if (status !== 200) throw failureOf('a list', late, status, text);
      const { metadata, items } = JSON.parse(text);
      yield { position: metadata.resourceVersion, items };
      next = metadata.continue;
    } while (next);
  }

  async function* watch(path: string, after: string, signal: AbortSignal): AsyncGenerator<ApiEvent> {
    const wanted = { watch: 'true', allowWatchBookmarks: 'true', resourceVersion: after };
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), PAGE_MS);
    const until = { signal: AbortSignal.any([signal, late.signal]) };
    const response = await send('GET', withQuery(path, wanted), until).finally(() => clearTimeout(timer));
    if (response.status !== 200) throw failureOf('a watch', late.signal, response.status, textOf(response));
    if (response.stream) yield* eventsOf(response.stream);
  }

  return {
    get: (path) => answered(send('GET', path, { signal: AbortSignal.timeout(PAGE_MS) })),
    list,
    watch,
  };
};
