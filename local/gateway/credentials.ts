/** Whom a client speaks for, and in whose name the API is asked for what many watch. */
import type { HttpRequest } from '../../shared/apiserver/http.ts';

/**
 * The headers by which the API knows who asks: the token, and the user that its bearer wants to act as.
 * Two clients may share an answer of the API only if the API decided about the same user.
 */
export type Credentials = Readonly<Record<string, string>>;

const IMPERSONATION = /^impersonate-/;

const isImpersonation = ([name]: readonly [string, string]): boolean => IMPERSONATION.test(name);

const byName = ([a]: readonly [string, string], [b]: readonly [string, string]): number =>
  a < b ? -1 : Number(a > b);

/** Of a request, whose header names are in lower case. */
export const credentialsOf = (headers: HttpRequest['headers']): Credentials =>
  Object.fromEntries(
    Object.entries(headers)
      .flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
      .filter((entry) => entry[0] === 'authorization' || isImpersonation(entry)),
  );

/** The user whom the bearer acts as, in one spelling; `''` for the bearer itself. */
export const impersonationOf = (credentials: Credentials): string => {
  const asked = Object.entries(credentials).filter(isImpersonation).toSorted(byName);
  return asked.length === 0 ? '' : JSON.stringify(asked);
};

const isSame = (a: Credentials, b: Credentials): boolean =>
  a['authorization'] === b['authorization'] && impersonationOf(a) === impersonationOf(b);

/** One who watches. */
export interface WatchClient {
  readonly credentials: Credentials;
  /** The API no longer lets this one watch: it comes back and is told why. */
  refused(): void;
}

/**
 * The clients of one shared watch. The API is asked with the credentials of the client that has waited longest.
 * When the API refuses them, all clients that have the same ones are sent away, and the next client's are used.
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
    /** None: nobody watches any more. */
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
