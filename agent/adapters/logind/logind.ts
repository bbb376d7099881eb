/** systemd-logind by its own programs: `busctl` and `systemd-inhibit`. */
import type { InhibitorLock, Logind, LogindConnection } from '../../ports/machine/logind.ts';
import { isPreparing } from './busctl.ts';
import type { Child } from './child.ts';
import { takeInhibitor } from './inhibitor.ts';
import { announcementsIn, startMonitor } from './monitor.ts';
import { inhibitDelayMs, reloadUntil, writeOverride } from './override.ts';
import type { LogindSettings } from './settings.ts';

interface LogindDeps {
  readonly settings: LogindSettings;
  readonly sleep: (ms: number) => Promise<void>;
}

/** What was announced last, over all connections. */
interface Heard {
  isShuttingDown: boolean;
}

/** During a shutdown logind gives out no lock, and none is needed: what is left of the time is all that there is. */
const NO_LOCK: InhibitorLock = { release: async () => {} };

const lockOrNone = async (settings: LogindSettings, onLost: () => void): Promise<InhibitorLock> => {
  try {
    return await takeInhibitor(settings, onLost);
  } catch (error) {
    if (await isPreparing(settings).catch(() => false)) return NO_LOCK;
    throw error;
  }
};

/**
 * What is announced from now on, beginning with what was missed: logind also tells its state, and another agent may have heard that
 * a shutdown begins, or this one that it was cancelled, while nobody listened. Nothing is announced twice.
 */
async function* since({ settings }: LogindDeps, heard: Heard, monitor: Child): AsyncGenerator<boolean> {
  const news = (isShuttingDown: boolean): boolean => {
    const isNew = isShuttingDown !== heard.isShuttingDown;
    heard.isShuttingDown = isShuttingDown;
    return isNew;
  };
  try {
    const state = await isPreparing(settings);
    if (news(state)) yield state;
    for await (const announced of announcementsIn(monitor.stdout)) if (news(announced)) yield announced;
  } finally {
    await monitor.end();
  }
}

const connectionOf = (deps: LogindDeps, heard: Heard): LogindConnection => {
  const { settings, sleep } = deps;
  let monitor: Child | undefined;
  let overrideSeconds = 0;
  let isLost = false;
  const close = async (): Promise<void> => monitor?.end();
  return {
    inhibitDelayMs: () => inhibitDelayMs(settings),
    overrideInhibitDelay: async (seconds) => {
      await writeOverride(settings, seconds);
      overrideSeconds = seconds;
    },
    reload: () => reloadUntil(settings, overrideSeconds, sleep),
    inhibitShutdown: () =>
      lockOrNone(settings, () => {
        // Without its lock the connection is of no use: a new one takes a new lock.
        isLost = true;
        void close();
      }),
    announcements: async () => {
      monitor = await startMonitor(settings, sleep);
      if (isLost) await monitor.end();
      return since(deps, heard, monitor);
    },
    close,
  };
};

/** logind of this machine. */
export const createLogind = (deps: LogindDeps): Logind => {
  const heard: Heard = { isShuttingDown: false };
  return { connect: async () => connectionOf(deps, heard) };
};
