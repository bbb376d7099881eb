import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingBrowser, startBrowser } from '../../browser/browser.ts';
import { type Display, fallsSilent, LIVE, watched } from '../../browser/silenced-page.ts';
import { type Running, running } from '../../support/servers/proxy-process.ts';
import { cliToken, profile } from '../support/deployment.ts';
import { pauseLocalStack } from '../support/localstack-processes.ts';
import { type Machine, startMachine } from '../support/machine.ts';
import { eventually } from '../support/wait.ts';

const NODE = resolve('node_modules/.bin/node');
/** How long the page is waited for, beyond the rule's own times, ms. */
const PAGE_MS = 60_000;
const LINK = /http:\S+token=\S+/;
const STILL = ['still-1', 'still-2', 'still-3'];

describe.skipIf(missingBrowser() !== undefined)('the dashboard of a stack', () => {
  const problems: string[] = [];
  const machines: Machine[] = [];
  let dashboard: Running;
  let browser: Browser;
  let page: Page;
  const row = (name: RegExp, withinMs: number): Promise<void> =>
    page.getByRole('row', { name }).waitFor({ timeout: withinMs });

  beforeAll(async () => {
    const admin = cliToken('--admin');
    for (const [name, zone] of [
      ['seen-1', 'seen'],
      ['seen-2', 'seen'],
      ['seen-3', 'other'],
    ] as const)
      machines.push(await startMachine(admin, name, zone, 'lease'));
    dashboard = running(NODE, ['cli/rollcall.js', 'dashboard', '--stack', profile.stackName]);
    const link = await eventually(
      'the link',
      PAGE_MS,
      async () => LINK.exec(dashboard.lines().join('\n'))?.[0],
    );
    browser = await startBrowser();
    page = await browser.newPage({ viewport: { width: 1100, height: 700 } });
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(link);
  });
  afterAll(async () => {
    await browser?.close();
    await dashboard?.stop();
    await Promise.all(machines.map((one) => one.leave()));
  });

  it('shows its machines', async () => {
    await page.getByRole('button', { name: 'Table' }).click({ timeout: PAGE_MS });
    await row(/^seen-1 ready/, profile.graceMs + PAGE_MS);
    await row(/^seen-3 ready/, PAGE_MS);
  });

  it('shows, without being asked, a zone that falls silent, and that it is back', async () => {
    const [one, two] = machines;
    one?.silence();
    two?.silence();
    await row(/^seen-1 Unknown/, profile.graceMs + profile.periodMs + PAGE_MS);
    await row(/^seen-2 Unknown/, PAGE_MS);
    await row(/^seen-3 ready/, PAGE_MS);
    one?.speak();
    two?.speak();
    await row(/^seen-1 ready/, profile.graceMs + PAGE_MS);
  });

  it('says on the page of a node what happened, from the stack’s own explanation', async () => {
    await page.getByRole('link', { name: 'seen-1', exact: true }).click();
    await page.getByRole('heading', { name: 'Node seen-1' }).waitFor({ timeout: PAGE_MS });
    await page.getByText('NodeNotReady').first().waitFor({ timeout: PAGE_MS });
  });

  it('broke no rule of its own security policy, and threw nothing', () => {
    expect(problems).toEqual([]);
  });
});

describe.skipIf(missingBrowser() !== undefined)('the page of a stack that stands still', () => {
  const machines: Machine[] = [];
  let dashboard: Running;
  let browser: Browser;
  let page: Page;
  let display: Display;
  let resume: (() => void) | undefined;

  beforeAll(async () => {
    const admin = cliToken('--admin');
    for (const name of STILL) machines.push(await startMachine(admin, name, 'still', 'lease'));
    dashboard = running(NODE, ['cli/rollcall.js', 'dashboard', '--stack', profile.stackName]);
    const link = await eventually(
      'the link',
      PAGE_MS,
      async () => LINK.exec(dashboard.lines().join('\n'))?.[0],
    );
    browser = await startBrowser();
    page = await browser.newPage({ viewport: { width: 1100, height: 700 } });
    await page.goto(link);
    await page.getByRole('list', { name: 'States of nodes' }).waitFor({ timeout: PAGE_MS });
    // Beats go through an emulator: all of these nodes may be late indeed.
    display = watched(page, STILL.length);
    await display.until(LIVE);
    display.begin();
  });
  afterAll(async () => {
    resume?.();
    await browser?.close();
    await dashboard?.stop();
    await Promise.all(machines.map((one) => one.leave()));
  });

  it('says so, accuses no node and forecasts nothing, and shows them when they are heard again', async () => {
    await fallsSilent(
      display,
      () => {
        resume = pauseLocalStack();
        expect(resume).toBeDefined();
      },
      () => resume?.(),
    );
    await page.getByRole('button', { name: 'Table' }).click({ timeout: PAGE_MS });
    // Functions know of no absence: a node whose beats waited with the emulator is Unknown until it posts its status again.
    await eventually('all nodes are ready', PAGE_MS, async () => {
      for (const one of machines) one.speak();
      await wait(profile.beatMs);
      return (await page.getByRole('row', { name: /^still-\d ready/ }).count()) === STILL.length;
    });
  });
});
