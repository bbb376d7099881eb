import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDashboard } from '../../dashboard/server/start.ts';
import { pathsOf } from '../../shared/serving/machine/files.ts';
import { createHostLog } from '../../shared/serving/machine/host-log.ts';
import { eventually } from '../support/clocks/eventually.ts';
import { type FailingFront, type FrontMode, startFailingFront } from '../support/servers/failing-front.ts';
import { type HostProcess, startHostProcess } from '../support/servers/host-process.ts';
import { missingBrowser, startBrowser } from './browser.ts';

/** Milliseconds after which a page that judges by its own clock has accused every node. */
const SILENCE_MS = 9_000;
/** Machines beat each 3 s, and are late after 4.5 s: patience enough for a computer that is busy. */
const ARGS = ['--fleet', '--node-monitor-grace-period', '12s', '--listen', '127.0.0.1:0'];
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

/** A page behind a front of its own, and what it has shown. */
interface Display {
  readonly front: FailingFront;
  /** Forgets what was shown. */
  begin(): void;
  /** Waits until the page says this of its connection. */
  until(has: RegExp): Promise<void>;
  /** Looks again and again for so long (ms). Resolves with the last look. */
  lookFor(ms: number): Promise<Seen>;
  /** What it should not have shown since `begin`: accusations, and forecasts of what is not live. */
  falsehoods(): readonly Seen[];
}

const LIVE = /^Live/;
const LOST = /^The API has not answered since/;

const watched = (page: Page, front: FailingFront): Display => {
  const told: Seen[] = [];
  const look = async (): Promise<Seen> => {
    const [connection, main] = await page.evaluate<[string, string]>(
      `['.connection', 'main'].map((one) => document.querySelector(one)?.innerText ?? '')`,
    );
    const seen = { connection, main: main.replaceAll(/\s+/g, ' ') };
    told.push(seen);
    return seen;
  };
  return {
    front,
    begin: () => {
      told.length = 0;
    },
    until: async (has) => {
      const isShown = async (): Promise<boolean> => has.test((await look()).connection);
      await eventually(`the page says ${has}`, 60_000, isShown, { seen: () => told.at(-1) });
    },
    lookFor: async (ms) => {
      for (const end = performance.now() + ms; performance.now() < end; await wait(200)) await look();
      return look();
    },
    falsehoods: () => told.filter((seen) => accuses(seen) || (!isLive(seen) && forecasts(seen))),
  };
};

describe.skipIf(missingBrowser() !== undefined)('the page while its source does not answer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-silence-'));
  const closing: (() => Promise<void>)[] = [];
  let host: HostProcess;
  let browser: Browser;

  const openDisplay = async (): Promise<Display> => {
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
    const display = watched(page, front);
    await display.until(LIVE);
    display.begin();
    return display;
  };
  /** The page while the API is away, and when it is back. */
  const silenced = async (display: Display, begin: () => void, end: () => void): Promise<void> => {
    begin();
    await display.until(LOST);
    expect((await display.lookFor(SILENCE_MS)).connection).toMatch(LOST);
    end();
    await display.until(LIVE);
    await display.lookFor(SILENCE_MS);
    expect(display.falsehoods()).toEqual([]);
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
