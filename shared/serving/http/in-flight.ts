import type { EventEmitter } from 'node:events';

/** Keeps track of requests whose answers are not complete. */
export interface InFlight {
  /**
   * Adds a request by its response, or by its connection if it may leave HTTP: by what emits `close` when it is over. Returns what
   * makes its signal, which is aborted then, or by `end`. Most requests need none, and one takes as long to make and to abort as the
   * rest of their bookkeeping.
   */
  add(response: EventEmitter): () => AbortSignal;
  /** Ends open-ended answers such as watches; resolves when every answer was sent. */
  end(): Promise<void>;
}

/** One reason for all: to make an error, with its stack, for each of a thousand clients that leave at once takes 20 ms. */
const OVER = new Error('the client has disconnected, or the server stops');

export const createInFlight = (): InFlight => {
  const inHand = new Map<EventEmitter, AbortController | undefined>();
  let isEnding = false;
  let settle: (() => void) | undefined;
  const remove = (response: EventEmitter): void => {
    inHand.get(response)?.abort(OVER);
    inHand.delete(response);
    if (inHand.size === 0) settle?.();
  };
  return {
    add: (response) => {
      inHand.set(response, undefined);
      response.once('close', () => remove(response));
      return () => {
        const controller = inHand.get(response) ?? new AbortController();
        if (isEnding || !inHand.has(response)) controller.abort(OVER);
        else inHand.set(response, controller);
        return controller.signal;
      };
    },
    end: async () => {
      isEnding = true;
      for (const controller of inHand.values()) controller?.abort(OVER);
      if (inHand.size > 0)
        await new Promise<void>((resolve) => {
          settle = resolve;
        });
    },
  };
};
