import type { ServerResponse } from 'node:http';

/** Requests that are not answered to their end. */
export interface InFlight {
  /** A signal that is aborted when the client has gone, or when all are to end. */
  add(response: ServerResponse): AbortSignal;
  /** Ends what goes on for as long as it is wanted, such as watches; resolves when every answer is out. */
  end(): Promise<void>;
}

export const createInFlight = (): InFlight => {
  const inHand = new Map<ServerResponse, AbortController>();
  let isEnding = false;
  let settle: (() => void) | undefined;
  const remove = (response: ServerResponse): void => {
    inHand.get(response)?.abort();
    inHand.delete(response);
    if (inHand.size === 0) settle?.();
  };
  return {
    add: (response) => {
      const controller = new AbortController();
      inHand.set(response, controller);
      response.once('close', () => remove(response));
      if (isEnding) controller.abort();
      return controller.signal;
    },
    end: async () => {
      isEnding = true;
      for (const controller of inHand.values()) controller.abort();
      if (inHand.size > 0)
        await new Promise<void>((resolve) => {
          settle = resolve;
        });
    },
  };
};
