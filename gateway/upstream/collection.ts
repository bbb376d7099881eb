/** The current state of a watched collection, read with the client's credentials. */

import type { StatePart } from '../../shared/apiserver/feed/watched.ts';
import { apiVersionOf, type ServedKind } from '../../shared/kinds/contract/strategy.ts';
import { internalError } from '../../shared/kube/errors/status-error.ts';
import type { ApiList } from '../../shared/kube/types/meta.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import type { Credentials } from './credentials.ts';
import type { Upstream, UpstreamResponse } from './upstream.ts';
import { refusalOf } from './upstream-answer.ts';
import type { WatchTarget } from './watch-target.ts';

/** Objects in a page. */
const PAGE = 500;

/** A collection that one client watches. */
export interface Collection {
  readonly target: WatchTarget;
  readonly kind: ServedKind;
  /** Credentials of the client. */
  readonly credentials: Credentials;
  readonly signal: AbortSignal;
}

/** Headers of a request that the gateway sends with a client's credentials. */
export const headersFor = (credentials: Credentials): Readonly<Record<string, string>> => ({
  ...credentials,
  accept: 'application/json',
});

/** Sends a list request. Resolves to the answer, whatever its status. */
export const requestList = (
  { target, credentials, signal }: Collection,
  upstream: Upstream,
  page: Readonly<Record<string, string>>,
): Promise<UpstreamResponse> => {
  const query = new URLSearchParams([...target.selectors, ...Object.entries(page)]);
  const path = `${target.path}?${query.toString()}`;
  return upstream.send({ method: 'GET', path, headers: headersFor(credentials), signal });
};

const listOf = ({ status, headers, body }: UpstreamResponse): ApiList => {
  const text = Buffer.from(body).toString();
  if (status !== 200) throw refusalOf(status, headers, text);
  try {
    return JSON.parse(text) as ApiList;
  } catch (error) {
    throw internalError('the API answered a list request with something that is not JSON', error);
  }
};

/** The current version of the collection. Rejects with the API's refusal. */
export const readPosition = async (collection: Collection, upstream: Upstream): Promise<number> =>
  Number(listOf(await requestList(collection, upstream, { limit: '1' })).metadata.resourceVersion);

/** All objects at one version, page by page. Throws the API's refusal, such as 410 if the client took too long. */
export async function* readPages(collection: Collection, upstream: Upstream): AsyncGenerator<StatePart> {
  const { kind } = collection;
  // Items of a list carry no kind; events do.
  const type = { kind: kind.kind, apiVersion: apiVersionOf(kind) };
  let next: string | undefined;
  do {
    const page = { limit: String(PAGE), ...optional('continue', next) };
    const { metadata, items } = listOf(await requestList(collection, upstream, page));
    yield {
      position: Number(metadata.resourceVersion),
      objects: items.map((item) => ({ ...type, ...item, ...type })),
    };
    next = metadata.continue;
  } while (next);
}
