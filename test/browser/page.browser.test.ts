import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLink } from '../../cli/cluster/open-link.ts';
import { type RunningDashboard, startDashboard } from '../../dashboard/server/start.ts';
import { pathsOf, readIfThere } from '../../shared/serving/machine/files.ts';
import { createHostLog } from '../../shared/serving/machine/host-log.ts';
import { type HostProcess, rollcall, startHostProcess } from '../support/servers/host-process.ts';
import { missingBrowser, startBrowser } from './browser.ts';

const ARGS = ['--fleet', '--fast', '--listen', '127.0.0.1:0'];

describe.skipIf(missingBrowser() !== undefined)('the page of the dashboard', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-browser-'));
  const problems: string[] = [];
  let host: HostProcess;
  let dashboard: RunningDashboard;
  let browser: Browser;
  let page: Page;

  const next = () => page.getByRole('region', { name: 'What happens next' });

  beforeAll(async () => {
    host = await startHostProcess(folder, ...ARGS);
    const ca = readIfThere(pathsOf(folder).caCertificate);
    const hostLog = createHostLog({ format: 'text', clock: { now: Date.now }, write: () => undefined });
    dashboard = await startDashboard({
      url: new URL(host.url),
      ca,
      port: 0,
      hasBeats: true,
      hostLog,
      token: async () => host.adminToken,
      program: [process.execPath, 'cli/rollcall.js'],
    });
    browser = await startBrowser();
    page = await browser.newPage({ viewport: { width: 1100, height: 700 }, colorScheme: 'light' });
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
  });
  afterAll(async () => {
    await browser?.close();
    await dashboard?.stop();
    await host?.stop();
    rmSync(folder, { recursive: true });
  });

  it('shows all nodes, and says so to those who cannot see them', async () => {
    const startedAt = performance.now();
    await page.goto(dashboard.link());
    await page.getByRole('list', { name: 'States of nodes' }).waitFor();
    process.stdout.write(`first paint with nodes: ${Math.round(performance.now() - startedAt)} ms\n`);
    await page.getByRole('status').filter({ hasText: '12 ready' }).waitFor();
    expect(page.url()).not.toContain('token');
    await page.getByRole('application', { name: /^12 nodes/ }).waitFor();
  });

  it('is opened by a private file, too, as --open does it', async () => {
    const { PATH } = process.env;
    process.env['PATH'] = folder;
    const { forget } = openLink(dashboard.link(), folder);
    process.env['PATH'] = PATH;
    const [file = ''] = readdirSync(folder).filter((name) => name.endsWith('.html'));
    const context = await browser.newContext();
    const other = await context.newPage();
    await other.goto(pathToFileURL(join(folder, file)).href);
    await other.getByRole('status').filter({ hasText: '12 ready' }).waitFor();
    expect(other.url()).not.toContain('token');
    await context.close();
    forget();
  });

  it('can be used with the keyboard alone', async () => {
    await page.getByRole('application').focus();
    await page.keyboard.press('End');
    await page.getByText(/^\s*n12, zone c: /).waitFor();
    await page.keyboard.press('Home');
    await page.getByText(/^\s*n1, zone a: /).waitFor();
  });

  it('has a table of the same, finds names, and refuses selectors that the API refuses', async () => {
    await page.getByRole('button', { name: 'Table' }).click();
    await page.getByRole('row', { name: /^n1 / }).waitFor();
    await page.getByLabel('Find').fill('n1');
    await page.getByText('4 found').waitFor();
    await page.getByLabel('Find').fill('');
    await page.getByLabel('Labels').fill('topology.kubernetes.io/zone in (a,b)');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('status').filter({ hasText: '8 ready' }).waitFor();
    await page.getByLabel('Labels').fill('a in');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('unable to parse requirement').waitFor();
    await page.getByLabel('Labels').fill('');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('status').filter({ hasText: '12 ready' }).waitFor();
  });

  it('says that nothing is due while every node answers', async () => {
    await next().getByText('Nothing is due: every node answers.').waitFor();
  });

  it('shows the outage of a zone without being asked, and the end of it', async () => {
    const told = Promise.all([
      next()
        .getByText(/n[1-4].* becomes? Unknown: zone a, silent for /)
        .first()
        .waitFor(),
      next()
        .getByText(/ leaves? n[1-4]: tolerates unreachable for /)
        .first()
        .waitFor(),
    ]);
    await rollcall('outage', '--zone', 'a', '--folder', folder);
    await told;
    await page.getByRole('status').filter({ hasText: '4 Unknown' }).waitFor();
    await page.getByRole('row', { name: /^n1 Unknown/ }).waitFor();
    await page.getByRole('table').getByRole('link', { name: 'n1', exact: true }).click();
    await page.getByRole('heading', { name: 'Node n1' }).waitFor();
    await page.getByText('NodeStatusUnknown').first().waitFor();
    await page.getByText(/^Held by n1, renewed .* ago, holds for 4s: it has run out/).waitFor();
    await page
      .getByRole('table', { name: 'Pods' })
      .getByText(/told to stop|stays/)
      .first()
      .waitFor();
    await page.getByRole('heading', { name: 'What happened to it' }).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'became Unknown' }).first().waitFor();
    await page.getByRole('link', { name: 'Zones' }).click();
    await page.getByRole('region', { name: 'Zone a' }).getByText('0 of 4 ready').waitFor();
    await page.getByRole('link', { name: 'Wall' }).click();
    await page.getByText('4 nodes are not ready, and stay so until they are heard from again').waitFor();
    await rollcall('restore', '--folder', folder);
    await page
      .getByRole('status')
      .filter({ hasText: /^12 ready|, 12 ready/ })
      .waitFor();
  });

  it('shows the wall as it was, and how a zone fared', async () => {
    await page.getByRole('link', { name: 'Timeline' }).click();
    // A button that a finger is on stays that of its row while newer rows come above it.
    const lost = page.getByRole('row', { name: /became Unknown/ }).first();
    const held = await lost.elementHandle();
    await host.send('PATCH', '/api/v1/nodes/n12', { spec: { unschedulable: true } });
    await page.getByRole('row', { name: /n12/ }).first().waitFor();
    expect(await held?.textContent()).toContain('became Unknown');
    await page
      .getByRole('row', { name: /became Unknown/ })
      .first()
      .getByRole('button')
      .click();
    await page
      .getByRole('status')
      .filter({ hasText: /As it was at .* Unknown/ })
      .waitFor();
    await page.getByRole('slider').press('End');
    await page
      .getByRole('status')
      .filter({ hasText: /^Now: / })
      .waitFor();
    await page.getByRole('link', { name: 'Zone a' }).click();
    await page.getByRole('img', { name: 'Share of nodes that were ready' }).waitFor();
  });

  it('broke no rule of its own security policy, and threw nothing', () => {
    expect(problems.filter((text) => !text.includes('status of 400'))).toEqual([]);
  });
});
