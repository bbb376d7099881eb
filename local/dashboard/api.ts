/** The API as the dashboard's server asks it: over a gateway, with a token that is made anew before it ends. */
import type { ApiObject } from '../../shared/api/meta.ts';
import type { Status } from '../../shared/api/status-error.ts';
import type { HttpResponse } from '../../shared/apiserver/http.ts';
import type { Serve } from '../../shared/apiserver/serve.ts';
import { errorOf } from '../gateway/upstream-answer.ts';

/** An answer: its body as text. */
export interface ApiAnswer {
  readonly status: number;
  readonly text: string;
}

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

/** Requests to the API. Paths have their query. */
export interface DashboardApi {
  get(path: string): Promise<ApiAnswer>;
  /** A write; only actions make one. */
  write(method: string, path: string, body: object, type: string): Promise<ApiAnswer>;
  /** All pages of a collection. Throws the API's refusal. */
  list(path: string, signal?: AbortSignal): AsyncGenerator<ListPage>;
  /** The events after a version, until the watch ends. Throws the API's refusal, 410 among them. */
  watch(path: string, after: string, signal: AbortSignal): AsyncGenerator<ApiEvent>;
}

export interface ApiDeps {
  readonly serve: Serve;
  readonly token: () => Promise<string>;
}

/** Objects in a page of a list. */
const PAGE = 500;

const textOf = ({ body }: HttpResponse): string =>
  typeof body === 'string' ? body : Buffer.from(body).toString();

const withQuery = (path: string, more: Readonly<Record<string, string>>): string =>
  `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(more).toString()}`;

const refusal = (text: string): Error => errorOf(JSON.parse(text) as Status);

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

/** Creates the requests over `serve`, which is a gateway: it shares watches, and keeps them open over answers that end. */
export const createDashboardApi = ({ serve, token }: ApiDeps): DashboardApi => {
  const send = async (
    method: string,
    url: string,
    { body = new Uint8Array(), type, signal }: { body?: Uint8Array; type?: string; signal?: AbortSignal },
  ): Promise<HttpResponse> => {
    const [path = '', query = ''] = url.split('?', 2);
    const headers = { authorization: `Bearer ${await token()}`, accept: 'application/json' };
    return serve({
      ...{ method, path, query: new URLSearchParams(query), body },
      headers: type === undefined ? headers : { ...headers, 'content-type': type },
      ...(signal ? { signal } : {}),
    });
  };
  const answered = async (response: Promise<HttpResponse>): Promise<ApiAnswer> => {
    const settled = await response;
    return { status: settled.status, text: textOf(settled) };
  };

  async function* list(path: string, signal?: AbortSignal): AsyncGenerator<ListPage> {
    let next: string | undefined;
    do {
      const page = { limit: String(PAGE), ...(next ? { continue: next } : {}) };
      const { status, text } = await answered(send('GET', withQuery(path, page), signal ? { signal } : {}));
      if (status !== 200) throw refusal(text);
      const { metadata, items } = JSON.parse(text);
      yield { position: metadata.resourceVersion, items };
      next = metadata.continue;
    } while (next);
  }

  async function* watch(path: string, after: string, signal: AbortSignal): AsyncGenerator<ApiEvent> {
    const wanted = { watch: 'true', allowWatchBookmarks: 'true', resourceVersion: after };
    const response = await send('GET', withQuery(path, wanted), { signal });
    if (response.status !== 200) throw refusal(textOf(response));
    if (response.stream) yield* eventsOf(response.stream);
  }

  return {
    get: (path) => answered(send('GET', path, {})),
    write: (method, path, body, type) =>
      answered(send(method, path, { body: Buffer.from(JSON.stringify(body)), type })),
    list,
    watch,
  };
};
