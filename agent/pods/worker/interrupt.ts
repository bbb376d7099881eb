/** Waits that are given up when the pod is to be ended, or has less time to end. */
import type { PodState } from './worker-state.ts';

/** Resolves as soon as `work` does, or the turn is interrupted. What `work` does goes on; a fault of it counts only before. */
export const unlessInterrupted = async (state: PodState, work: Promise<unknown>): Promise<void> => {
  const { signal } = state.interrupt;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const stop = (): void => resolve(undefined);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
    work.catch(() => undefined);
  }
};
