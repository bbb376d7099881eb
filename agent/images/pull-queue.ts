/** How many images are pulled at the same time. Source: kubernetes v1.34 pkg/kubelet/images `serialImagePuller`, `parallelImagePuller`. */

/** Runs work when it is its turn. Rejects with the signal's reason if that aborts before. */
export type PullQueue = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/** `most`: how many at once, each in the order in which it came; absent: any number. */
export const createPullQueue = (most = Number.POSITIVE_INFINITY): PullQueue => {
  let places = most;
  const waiting = new Set<() => void>();

  /** Whoever leaves hands the place on. */
  const leave = (): void => {
    const [first] = waiting;
    if (first === undefined) places += 1;
    else {
      waiting.delete(first);
      first();
    }
  };

  const enter = async (signal: AbortSignal): Promise<void> => {
    if (places > 0) {
      places -= 1;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const go = (): void => resolve(undefined);
    waiting.add(go);
    signal.addEventListener('abort', go, { once: true });
    await promise;
    signal.removeEventListener('abort', go);
    // One that is still in the queue has no place.
    if (waiting.delete(go)) signal.throwIfAborted();
  };

  return async (work, signal) => {
    signal.throwIfAborted();
    await enter(signal);
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      leave();
    }
  };
};
