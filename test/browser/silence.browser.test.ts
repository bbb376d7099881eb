import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDashboard } from '../../dashboard/server/start.ts';
import { pathsOf } from '../../shared/serving/machine/files.ts';
import { createHostLog } from '../../shared/serving/machine/host-log.ts';
import { type FailingFront, type FrontMode, startFailingFront } from '../support/servers/failing-front.ts';
import { type HostProcess, startHostProcess } from '../support/servers/host-process.ts';
import { missingBrowser, startBrowser } from './browser.ts';
import { type Display, LIVE, LOST, numberOf, SILENCE_MS, silenced, watched } from './silenced-page.ts';

/** Machines beat each 3 s, and are late after 4.5 s: patience enough for a computer that is busy. */
const ARGS = ['--fleet', '--node-monitor-grace-period', '12s', '--listen', '127.0.0.1:0'];
/** Machines of the fleet are late indeed where the computer is busy; never most of them. */
const MOST_LATE = 6;
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

/** A page behind a front of its own. */
interface FailingDisplay extends Display {
  readonly front: FailingFront;
}

describe.skipIf(missingBrowser() !== undefined)('the page while its source does not answer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-silence-'));
  const closing: (() => Promise<void>)[] = [];
  let host: HostProcess;
  let browser: Browser;

  const openDisplay = async (): Promise<FailingDisplay> => {
    const front = await startFailingFront(host.url, readFileSync(pathsOf(folder).caCertificate, 'utf8'));
    closing.unshift(front.close);
    const hostLog = createHostLog({ format: 'text', clock: { now: Date.now }, write: () => undefined });
    const token = async () => host.adminToken;
    const dashboard = await startDashboard({
      url: front.url,
      ca: undefined,
      port: 0,
      hasBeats: true,
      hostLog,
      token,
    });
    closing.unshift(dashboard.stop);
    const context = await browser.newContext({ viewport: { width: 1100, height: 700 } });
    const page = await context.newPage();
    await page.goto(dashboard.link());
    await page.getByRole('list', { name: 'States of nodes' }).waitFor();
    const display = watched(page, MOST_LATE);
    await display.until(LIVE);
    display.begin();
    return { ...display, front };
  };
  beforeAll(async () => {
    host = await startHostProcess(folder, ...ARGS);
    browser = await startBrowser();
  });
  afterAll(async () => {
    host?.resume();
    await browser?.close();
    for (const close of closing) await close();
    await host?.stop();
    rmSync(folder, { recursive: true });
  });

  describe.concurrent('behind a network that fails', () => {
    it.each<[string, FrontMode]>([
      ['has no server behind its load balancer', '503'],
      ['is slow', 'slow'],
      ['answers on no connection', 'silent'],
    ])('says so, accuses no node and forecasts nothing when it %s', async (_, mode) => {
      const display = await openDisplay();
      const { front } = display;
      await silenced(
        display,
        () => front.become(mode),
        () => front.become('passes'),
      );
    });

    it.each<[string, (front: FailingFront) => void]>([
      ['a router has forgotten all connections', (front) => front.forget()],
      ['only the watch of Leases hangs', (front) => front.forgetWatches(LEASES)],
    ])('accuses no node when %s, and opens others', async (_, begin) => {
      const display = await openDisplay();
      begin(display.front);
      await display.lookFor(2 * SILENCE_MS);
      await display.until(LIVE);
      expect(display.falsehoods()).toEqual([]);
    });
  });

  it('says so, accuses no node and forecasts nothing when its process is stopped', async () => {
    await silenced(await openDisplay(), host.pause, host.resume);
  });

  it('says so when it was killed, and still shows what was true then', async () => {
    const display = await openDisplay();
    await host.kill();
    await display.until(LOST);
    const last = await display.lookFor(SILENCE_MS);
    expect(display.falsehoods()).toEqual([]);
    expect(numberOf('ready', last)).toBeGreaterThanOrEqual(12 - MOST_LATE);
  });
});
