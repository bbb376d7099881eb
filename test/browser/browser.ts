/** Debian's chromium for tests of the dashboard's page. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = PATHS.find((path) => existsSync(path));

/** Why browser tests cannot run here; `undefined` if they can. An error where nothing may be skipped. */
export const missingBrowser = (): string | undefined => {
  if (executablePath !== undefined) return undefined;
  const missing = 'there is no chromium: apt-get install chromium';
  if (process.env['ROLLCALL_NO_SKIP'] === '1') throw new Error(missing);
  process.stdout.write(`the dashboard's page is not tested: ${missing}\n`);
  return missing;
};

/** Starts the browser. Tests run as root on CI, where its sandbox cannot. */
export const startBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
