/** The configuration with which logind waits long enough. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OVERRIDE_FILE, overrideText } from '../../rules/shutdown/shutdown-delay.ts';
import { loginProperty, reloadLogin } from './busctl.ts';
import type { LogindSettings } from './settings.ts';

const MICROSECONDS = 1000;

/** How long logind waits for locks (ms). */
export const inhibitDelayMs = async (settings: LogindSettings): Promise<number> =>
  Number(await loginProperty(settings, 'InhibitDelayMaxUSec')) / MICROSECONDS;

/** Writes the file, whole or not at all. */
export const writeOverride = async ({ configFolder }: LogindSettings, seconds: number): Promise<void> => {
  await mkdir(configFolder, { recursive: true, mode: 0o755 });
  const path = join(configFolder, OVERRIDE_FILE);
  // logind reads only files whose names end with `.conf`; another agent of the machine may write its own.
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, overrideText(seconds), { mode: 0o644 });
  await rename(temporary, path);
};

/** logind reads its configuration some time after the signal; these are the pauses between looks (ms). */
const PAUSES_MS = [100, 200, 400, 800];

/** Has logind read its configuration, and waits until it has, or will not. */
export const reloadUntil = async (
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
