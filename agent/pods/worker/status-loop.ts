/** When statuses of pods are sent: at once when one has changed, and all that differ every 10 s. Source: kubernetes v1.34 pkg/kubelet/status `Start`. */
import type { Clock } from '../../ports/machine/clock.ts';
import { createWaker } from '../../waker.ts';
import type { StatusSync } from './status-sync.ts';

const PERIOD_MS = 10_000;

export interface StatusLoopDeps {
  readonly clock: Pick<Clock, 'uptime' | 'sleep'>;
  readonly statuses: Pick<StatusSync, 'sync'>;
}

export interface StatusLoop {
  /** A status was set. It does not wait for those that are being sent. */
  changed(): void;
  /** Sends until `signal` aborts; resolves when what was begun then is done. */
  run(signal: AbortSignal): Promise<void>;
}

export const createStatusLoop = ({ clock, statuses }: StatusLoopDeps): StatusLoop => {
  const waker = createWaker(clock);
  return {
    changed: waker.wake,
    run: async (signal) => {
      signal.addEventListener('abort', waker.wake, { once: true });
      let allAt = clock.uptime() + PERIOD_MS;
      let sending: Promise<void> = Promise.resolve();
      while (!signal.aborted) {
        await waker.wait(allAt - clock.uptime());
        if (signal.aborted) break;
        // Not for whoever woke it: changes that come without end must not keep it from all the others.
        const isDue = clock.uptime() >= allAt;
        sending = statuses.sync(isDue ? 'all' : 'changed');
        if (isDue) allAt = clock.uptime() + PERIOD_MS;
      }
      await sending;
    },
  };
};
