/** Requests with `Upgrade`: each is answered like another one, or its connection goes over to another protocol. */

import type { EventEmitter } from 'node:events';
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { UpgradedClient } from '../../apiserver/contract/http.ts';
import { asksForStream } from '../../rules/streams/upgrade.ts';

/** Whether the server is to stop parsing HTTP on this connection. Node.js before 24.9 asks nobody, and stops for every `Upgrade`. */
export const shouldUpgrade = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  asksForStream(headers.upgrade);

/** A request with `Upgrade`, and how its connection is handed over. */
export interface UpgradeRequest {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Duplex;
  /** Hands over the connection. `signal`: aborted when the server stops. */
  handOver(take: (client: UpgradedClient) => void, signal: AbortSignal): void;
}

const ignored = (): void => undefined;

const requestOf = (message: IncomingMessage, connection: Duplex, head: Uint8Array): UpgradeRequest => {
  const response = new ServerResponse(message);
  response.shouldKeepAlive = false;
  // The HTTP server has let go of the connection: nobody else listens to its errors, or ends it after an answer.
  connection.on('error', ignored);
  response.assignSocket(message.socket);
  response.once('finish', () => {
    response.detachSocket(message.socket);
    connection.end();
  });
  return {
    message,
    response,
    connection,
    handOver: (take, signal) => {
      response.detachSocket(message.socket);
      take({ connection, head, signal });
    },
  };
};

/** The connections of a server that have left HTTP, which it does not close itself. */
export interface Upgrades {
  destroy(): void;
}

/** Passes requests with `Upgrade` to `take`. */
export const receiveUpgrades = (server: EventEmitter, take: (request: UpgradeRequest) => void): Upgrades => {
  const open = new Set<Duplex>();
  server.on('upgrade', (message: IncomingMessage, connection: Duplex, head: Uint8Array) => {
    open.add(connection);
    connection.once('close', () => open.delete(connection));
    take(requestOf(message, connection, head));
  });
  return {
    destroy: () => {
      for (const connection of open) connection.destroy();
    },
  };
};
