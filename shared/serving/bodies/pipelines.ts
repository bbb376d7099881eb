import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Maximum number of unanswered requests on one connection. Kubernetes clients send only one. */
const PIPELINED_REQUESTS = 8;

/** Counts the requests of each connection that are not answered. */
export interface Pipelines {
  /** Counts a request until its response is closed; `false` if it is one too many. */
  add(socket: Socket, response: ServerResponse): boolean;
  /** Whether a request of the connection is not answered yet. */
  isBusy(socket: Socket): boolean;
}

export const createPipelines = (): Pipelines => {
  const lengths = new WeakMap<Socket, number>();
  const lengthOf = (socket: Socket): number => lengths.get(socket) ?? 0;
  const add = (socket: Socket, response: ServerResponse): boolean => {
    const length = lengthOf(socket) + 1;
    lengths.set(socket, length);
    response.once('close', () => lengths.set(socket, lengthOf(socket) - 1));
    return length <= PIPELINED_REQUESTS;
  };
  return { add, isBusy: (socket) => lengthOf(socket) > 0 };
};
