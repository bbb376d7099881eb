import { resolve } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingBrowser, startBrowser } from '../../browser/browser.ts';
import { type Display, LIVE, silenced, watched } from '../../browser/silenced-page.ts';
import { type Running, running } from '../../support/servers/proxy-process.ts';
import { cliToken, profile } from '../support/deployment.ts';
import { pauseLocalStack } from '../support/localstack-processes.ts';
import { type Machine, startMachine } from '../support/machine.ts';
import { eventually } from '../support/wait.ts';

const NODE = resolve('node_modules/.bin/node');
const PAGE_MS = 60_000;
const LINK = /http:\S+token=\S+/;
const NAMES = ['still-1', 'still-2', 'still-3'];

describe.skipIf(missingBrowser() !== undefined)('the page of a stack that stands still', () => {
  const machines: Machine[] = [];
  let dashboard: Running;
  let browser: Browser;
  let display: Display;
  let resume: (() => void) | undefined;

  beforeAll(async () => {
    const admin = cliToken('--admin');
    for (const name of NAMES) machines.push(await startMachine(admin, name, 'still', 'lease'));
    dashboard = running(NODE, ['cli/rollcall.js', 'dashboard', '--stack', profile.stackName]);
    const link = await eventually(
      'the link',
      PAGE_MS,
      async () => LINK.exec(dashboard.lines().join('\n'))?.[0],
    );
    browser = await startBrowser();
    const page = await browser.newPage({ viewport: { width: 1100, height: 700 } });
    await page.goto(link);
    await page.getByRole('list', { name: 'States of nodes' }).waitFor({ timeout: PAGE_MS });
    // Beats go through an emulator: all of these nodes may be late indeed.
    display = watched(page, NAMES.length);
    await display.until(LIVE);
    display.begin();
  });
  afterAll(async () => {
    resume?.();
    await browser?.close();
    await dashboard?.stop();
    await Promise.all(machines.map((one) => one.leave()));
  });

  it('says so, accuses no node and forecasts nothing', async () => {
    await silenced(
      display,
      () => {
        resume = pauseLocalStack();
        expect(resume).toBeDefined();
      },
      () => resume?.(),
    );
  });
});
