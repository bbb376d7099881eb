/** One client's watch, from its admission to its end. */
import type { HttpRequest } from '../../shared/apiserver/contract/http.ts';
import { type Collection, requestList } from '../upstream/collection.ts';
import { credentialsOf, type WatchClient } from '../upstream/credentials.ts';
import type { Upstream } from '../upstream/upstream.ts';

export interface ClientWatch extends WatchClient {
  /** Its signal is aborted when the client disconnects or may no longer watch. */
  readonly collection: Collection;
  /** Ends the watch and releases its place. */
  end(): void;
}

export interface WatchHold {
  readonly upstream: Upstream;
  /** Releases the watch's place. */
  readonly leave: () => void;
}

/**
 * Interval (ms) at which a client's permission is checked again, because a shared watch uses the credentials of only one
 * client.
 */
const RECHECK_MS = 5 * 60_000;

const recheck = async (client: ClientWatch, upstream: Upstream): Promise<void> => {
  const answered = await requestList(client.collection, upstream, { limit: '1' }).catch(() => undefined);
  if (answered?.status === 401 || answered?.status === 403) client.refused();
};

/** Opens a watch. It holds its place until the client disconnects or `end` is called. */
export const openWatch = (
  { signal: gone, headers }: HttpRequest,
  { target, kind }: Pick<Collection, 'target' | 'kind'>,
  { upstream, leave }: WatchHold,
): ClientWatch => {
  const ended = new AbortController();
  const { signal } = ended;
  const credentials = credentialsOf(headers);
  const end = (): void => {
    clearInterval(timer);
    gone?.removeEventListener('abort', end);
    leave();
    ended.abort();
  };
  const client: ClientWatch = {
    credentials,
    collection: { target, kind, credentials, signal },
    refused: end,
    end,
  };
  const timer = setInterval(() => void recheck(client, upstream), RECHECK_MS).unref();
  gone?.addEventListener('abort', end);
  if (gone?.aborted) end();
  return client;
};
