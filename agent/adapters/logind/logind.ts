/** systemd-logind by its own programs: `busctl` and `systemd-inhibit`. */

import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InhibitorLock, Logind, LogindConnection } from '../../ports/machine/logind.ts';
import { OVERRIDE_FILE, overrideText } from '../../rules/shutdown/shutdown-delay.ts';
import { isPreparing, loginProperty, reloadLogin } from './busctl.ts';
import { type Child, hasOutput, startChild } from './child.ts';
import { announcementsIn, startMonitor } from './monitor.ts';
import { environmentOf, type LogindSettings } from './settings.ts';

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

const WHY = 'Rollcall ends the pods of this node first';

const MICROSECONDS = 1000;

/** logind reads its configuration some time after the signal; these are the pauses between looks (ms). */
const PAUSES_MS = [100, 200, 400, 800];

/**
 * The lock that delays shutdowns. logind hands it out as a file descriptor, which Node cannot receive, so `systemd-inhibit`
 * holds it: the lock lasts as long as the program that `systemd-inhibit` runs, and that one ends with the agent. Takes the
 * lock. `onLost` is called if it is gone without having been released.
 */
const takeInhibitor = async (settings: LogindSettings, onLost: () => void): Promise<InhibitorLock> => {
  const what = ['--what=shutdown', '--mode=delay', `--who=${settings.who}`, `--why=${WHY}`];
  const child = startChild('systemd-inhibit', [...what, 'cat'], environmentOf(settings));
  // `cat` answers as soon as it runs, and it runs as soon as the lock is held.
  child.stdin.write('held\n');
  if (!(await hasOutput(child))) throw new Error(child.errors() || 'systemd-inhibit ended at once');
  child.stdout.resume();
  let isReleased = false;
  child.ended.then(
    () => {
      if (!isReleased) onLost();
    },
    () => {},
  );
  return {
    release: async () => {
      isReleased = true;
      await child.end();
    },
  };
};

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

/** How long logind waits for locks (ms). */
const inhibitDelayMs = async (settings: LogindSettings): Promise<number> =>
  Number(await loginProperty(settings, 'InhibitDelayMaxUSec')) / MICROSECONDS;

/** Writes the file, whole or not at all. */
const writeOverride = async ({ configFolder }: LogindSettings, seconds: number): Promise<void> => {
  await mkdir(configFolder, { recursive: true, mode: 0o755 });
  const path = join(configFolder, OVERRIDE_FILE);
  // logind reads only files whose names end with `.conf`; another agent of the machine may write its own.
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, overrideText(seconds), { mode: 0o644 });
  await rename(temporary, path);
};

/** Has logind read its configuration, and waits until it has, or will not. */
const reloadUntil = async (
  settings: LogindSettings,
  seconds: number,
  sleep: (ms: number) => Promise<void>,
): Promise<void> => {
  await reloadLogin(settings);
  for (const pause of PAUSES_MS) {
    if ((await inhibitDelayMs(settings)) >= seconds * 1000) return;
    await sleep(pause);
  }
};

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
