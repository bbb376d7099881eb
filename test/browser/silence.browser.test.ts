import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningDashboard, startDashboard } from '../../dashboard/server/start.ts';
import { pathsOf, readIfThere } from '../../shared/serving/machine/files.ts';
import { createHostLog } from '../../shared/serving/machine/host-log.ts';
import { eventually } from '../support/clocks/eventually.ts';
import { type FailingFront, startFailingFront } from '../support/servers/failing-front.ts';
import { type HostProcess, startHostProcess } from '../support/servers/host-process.ts';
import { missingBrowser, startBrowser } from './browser.ts';

/** More than a grace period of the fleet, ms: by then a page that judges by its own clock has accused every node. */
const SILENCE_MS = 6_000;
/** Machines of the fleet are late indeed where the computer is busy; never most of them. */
const MOST_LATE = 6;
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

/** What a page showed at one instant. */
interface Seen {
  readonly connection: string;
  readonly main: string;
}

const isLive = ({ connection }: Seen): boolean => connection.startsWith('Live');
const forecasts = ({ main }: Seen): boolean => /becomes? Unknown:|leaves? n\d/.test(main);
const numberOf = (word: string, { main }: Seen): number =>
  Number(new RegExp(String.raw`\b(\d+) ${word}\b`).exec(main)?.[1] ?? 0);
const accuses = (seen: Seen): boolean =>
  numberOf('late', seen) > MOST_LATE || numberOf('Unknown', seen) > 0 || numberOf('NotReady', seen) > 0;

describe.skipIf(missingBrowser() !== undefined)('the page while its source does not answer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-silence-'));
  const told: Seen[] = [];
  let host: HostProcess;
  let front: FailingFront;
  let dashboard: RunningDashboard;
  let browser: Browser;
  let page: Page;

  const look = async (): Promise<Seen> => {
    const [connection, main] = await page.evaluate<[string, string]>(
      `['.connection', 'main'].map((one) => document.querySelector(one)?.innerText ?? '')`,
    );
    const seen = { connection, main: main.replaceAll(/\s+/g, ' ') };
    if (JSON.stringify(seen) !== JSON.stringify(told.at(-1))) told.push(seen);
    return seen;
  };
  /** What it should not have said: accusations, and forecasts of what is not live. */
  const falsehoods = (): readonly Seen[] =>
    told.filter((seen) => accuses(seen) || (!isLive(seen) && forecasts(seen)));
  const until = (what: string, has: RegExp): Promise<unknown> =>
    eventually(what, 60_000, async () => has.test((await look()).connection), { seen: () => told.at(-1) });
  const lookFor = async (ms: number): Promise<void> => {
    for (const end = performance.now() + ms; performance.now() < end; await wait(200)) await look();
  };

  beforeAll(async () => {
    host = await startHostProcess(folder, '--fleet', '--fast', '--listen', '127.0.0.1:0');
    const ca = readIfThere(pathsOf(folder).caCertificate) ?? '';
    front = await startFailingFront(host.url, ca);
    const hostLog = createHostLog({ format: 'text', clock: { now: Date.now }, write: () => undefined });
    dashboard = await startDashboard({
      url: front.url,
      ca: undefined,
      port: 0,
      hasBeats: true,
      hostLog,
      token: async () => host.adminToken,
    });
    browser = await startBrowser();
    page = await browser.newPage({ viewport: { width: 1100, height: 700 } });
    await page.goto(dashboard.link());
    await page.getByRole('list', { name: 'States of nodes' }).waitFor();
  });
  afterAll(async () => {
    host?.resume();
    await browser?.close();
    await dashboard?.stop();
    await front?.close();
    await host?.stop();
    rmSync(folder, { recursive: true });
  });

  it.each<[string, () => void, (() => void)?]>([
    ['is stopped', () => host.pause(), () => host.resume()],
    ['has no server behind its load balancer', () => front.become('503'), () => front.become('passes')],
    ['is slow', () => front.become('slow'), () => front.become('passes')],
    ['answers on no connection', () => front.become('silent'), () => front.become('passes')],
    ['is behind a router that has forgotten all connections', () => front.forget()],
  ])('says so, accuses no node and forecasts nothing when it %s', async (_, begin, end) => {
    await until('the page is live', /^Live/);
    told.length = 0;
    begin();
    const begunAt = performance.now();
    await until('the page says that the API is lost', /^The API has not answered since/);
    process.stdout.write(`said after ${Math.round(performance.now() - begunAt)} ms\n`);
    // What was forgotten is opened anew when the page says so, at the latest.
    if (end) {
      await lookFor(SILENCE_MS);
      expect((await look()).connection).toMatch(/^The API has not answered since/);
      end();
    }
    await until('the page is live again', /^Live/);
    await lookFor(SILENCE_MS);
    expect(falsehoods()).toEqual([]);
  });

  it('reads Leases again before it says that the fleet is late, when only their watch hangs', async () => {
    await until('the page is live', /^Live/);
    told.length = 0;
    front.forgetWatches(LEASES);
    await lookFor(SILENCE_MS);
    expect(falsehoods()).toEqual([]);
    expect(isLive(await look())).toBe(true);
  });

  it('says so of a host that was killed, and still shows what was true then', async () => {
    await until('the page is live', /^Live/);
    told.length = 0;
    await host.kill();
    await until('the page says that the API is lost', /^The API has not answered since/);
    await lookFor(SILENCE_MS);
    expect(falsehoods()).toEqual([]);
    expect(numberOf('ready', await look())).toBeGreaterThan(MOST_LATE - 1);
  });
});
