/** The agent's service on Windows as a fake: what Windows would keep, and its call before a shutdown. */
import type { WindowsService, WindowsServices } from '../../../agent/ports/windows-services.ts';

export interface FakeWindows extends WindowsServices {
  readonly order: () => readonly string[];
  readonly timeoutMs: () => number;
  /** Begins to shut down; resolves when the service is done. */
  shutDown(): Promise<void>;
}

interface Given {
  readonly isService?: boolean;
  readonly dependencies?: readonly string[];
  readonly order?: readonly string[];
  readonly timeoutMs?: number;
  /** The longest time-out that Windows accepts (ms). */
  readonly mostMs?: number;
}

export const fakeWindows = (given: Given): FakeWindows => {
  let { order = [], timeoutMs = 10_000 } = given;
  let handler = async (): Promise<void> => {};
  const service: WindowsService = {
    name: 'rollcall-agent',
    dependencies: async () => given.dependencies ?? [],
    preshutdownOrder: async () => order,
    setPreshutdownOrder: async (next) => {
      order = next;
    },
    preshutdownTimeoutMs: async () => timeoutMs,
    setPreshutdownTimeout: async (ms) => {
      timeoutMs = Math.min(ms, given.mostMs ?? ms);
    },
    onPreshutdown: (next) => {
      handler = next;
      return () => {
        handler = async () => {};
      };
    },
  };
  return {
    own: async () => (given.isService === false ? undefined : service),
    order: () => order,
    timeoutMs: () => timeoutMs,
    shutDown: () => handler(),
  };
};
