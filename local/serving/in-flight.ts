import type { ServerResponse } from 'node:http';

/** Keeps track of requests whose answers are not complete. */
export interface InFlight {
  /** Adds a request. The signal is aborted when the client disconnects, or by `end`. */
  add(response: ServerResponse): AbortSignal;
  /** Ends open-ended answers such as watches; resolves when every answer was sent. */
  end(): Promise<void>;
}

/** One reason for all: to make an error, with its stack, for each of a thousand clients that leave at once takes 20 ms. */
const OVER = new Error('the client has disconnected, or the server stops');

export const createInFlight = (): InFlight => {
  const inHand = new Map<ServerResponse, AbortController>();
  let isEnding = false;
  let settle: (() => void) | undefined;
  const remove = (response: ServerResponse): void => {
    inHand.get(response)?.abort(OVER);
    inHand.delete(response);
    if (inHand.size === 0) settle?.();
  };
  return {
    add: (response) => {
      const controller = new AbortController();
      inHand.set(response, controller);
      response.once('close', () => remove(response));
      if (isEnding) controller.abort(OVER);
      return controller.signal;
    },
    end: async () => {
      isEnding = true;
      for (const controller of inHand.values()) controller.abort(OVER);
      if (inHand.size > 0)
        await new Promise<void>((resolve) => {
          settle = resolve;
        });
    },
  };
};
