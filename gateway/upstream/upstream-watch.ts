/** One request of a watch to the API. */
import { headersFor } from './collection.ts';
import type { Credentials } from './credentials.ts';
import { textOf } from './lines.ts';
import type { OpenResponse, Upstream } from './upstream.ts';
import { refusalOf } from './upstream-answer.ts';
import type { WatchTarget } from './watch-target.ts';

export interface UpstreamWatchDeps {
  readonly upstream: Upstream;
  readonly target: WatchTarget;
  /** Credentials of a client that may watch the target. */
  readonly credentials: () => Credentials;
  /** Called when the API no longer accepts the credentials. */
  readonly refused: (credentials: Credentials) => void;
}

/** Timeout (seconds) of a first, short watch. It ends with a bookmark, which shows that the API answers, and its version. */
const BRIEF_SECONDS = 3;

const pathOf = ({ path, selectors }: WatchTarget, after: number, isBrief: boolean): string => {
  const query = new URLSearchParams(selectors);
  query.set('watch', 'true');
  query.set('allowWatchBookmarks', 'true');
  query.set('resourceVersion', String(after));
  if (isBrief) query.set('timeoutSeconds', String(BRIEF_SECONDS));
  return `${path}?${query.toString()}`;
};

const isRefusal = ({ status }: OpenResponse): boolean => status === 401 || status === 403;

/** Opens the watch after version `after`. Throws the API's refusal, or the error of the connection. */
export const openWatch = async (
  deps: UpstreamWatchDeps,
  after: number,
  { isBrief, signal }: { readonly isBrief: boolean; readonly signal: AbortSignal },
): Promise<OpenResponse> => {
  const credentials = deps.credentials();
  const path = pathOf(deps.target, after, isBrief);
  const headers = headersFor(credentials);
  const response = await deps.upstream.open({ method: 'GET', path, headers, signal });
  if (response.status === 200) return response;
  if (isRefusal(response)) deps.refused(credentials);
  throw refusalOf(response.status, response.headers, await textOf(response.body));
};
