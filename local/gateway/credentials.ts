/** In whose name the API is asked for what many watch. */

/** One who watches. */
export interface WatchClient {
  readonly authorization: string | undefined;
  /** The API no longer lets this one watch: it comes back and is told why. */
  refused(): void;
}

/** Asks in the name of whoever watches; all whose credential is refused are sent away, and another one's is taken. */
export const createCredentials = () => {
  const clients = new Set<WatchClient>();
  return {
    add: (client: WatchClient): void => {
      clients.add(client);
    },
    remove: (client: WatchClient): void => {
      clients.delete(client);
    },
    current: (): string | undefined => clients.values().next().value?.authorization,
    refused: (authorization: string | undefined): void => {
      for (const client of [...clients]) {
        if (client.authorization !== authorization) continue;
        clients.delete(client);
        client.refused();
      }
    },
  };
};
