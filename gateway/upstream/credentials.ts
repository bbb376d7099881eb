/** A client's credentials, and whose credentials a shared watch uses. */
import type { HttpRequest } from '../../shared/apiserver/contract/http.ts';

/**
 * The headers that identify the user to the API: the token, and the user to impersonate.
 * Two clients may share an answer of the API only if the API decided about the same user.
 */
export type Credentials = Readonly<Record<string, string>>;

const IMPERSONATION = /^impersonate-/;

const isImpersonation = ([name]: readonly [string, string]): boolean => IMPERSONATION.test(name);

const byName = ([a]: readonly [string, string], [b]: readonly [string, string]): number =>
  a < b ? -1 : Number(a > b);

/** The credentials of a request. Its header names are in lower case. */
export const credentialsOf = (headers: HttpRequest['headers']): Credentials =>
  Object.fromEntries(
    Object.entries(headers)
      .flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
      .filter((entry) => entry[0] === 'authorization' || isImpersonation(entry)),
  );

/** The impersonated user in canonical form; `''` without impersonation. */
export const impersonationOf = (credentials: Credentials): string => {
  const asked = Object.entries(credentials).filter(isImpersonation).toSorted(byName);
  return asked.length === 0 ? '' : JSON.stringify(asked);
};

const isSame = (a: Credentials, b: Credentials): boolean =>
  a['authorization'] === b['authorization'] && impersonationOf(a) === impersonationOf(b);

/** A client of a shared watch. */
export interface WatchClient {
  readonly credentials: Credentials;
  /** Called when the API no longer allows this client to watch. Its watch ends; when it reconnects, it gets the reason. */
  refused(): void;
}

/**
 * The clients of one shared watch. The API is asked with the credentials of the client that has waited longest.
 * When the API refuses them, the watches of all clients with the same credentials end, and the next client's are used.
 */
export const createWatchClients = () => {
  const clients = new Set<WatchClient>();
  return {
    add: (client: WatchClient): void => {
      clients.add(client);
    },
    remove: (client: WatchClient): void => {
      clients.delete(client);
    },
    /** Credentials of the client that has waited longest; empty if there are no clients. */
    credentials: (): Credentials => clients.values().next().value?.credentials ?? {},
    refused: (credentials: Credentials): void => {
      for (const client of [...clients]) {
        if (!isSame(client.credentials, credentials)) continue;
        clients.delete(client);
        client.refused();
      }
    },
  };
};
