/** The page of the dashboard in a browser: how soon it shows a fleet, and how soon the outage of a zone. Needs chromium. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { missingBrowser, startBrowser } from '../../browser/browser.ts';
import type { Bench, Figure } from '../figures/figures.ts';
import { quantile } from '../figures/statistics.ts';
import type { Ask } from './server-process.ts';

const MB = 2 ** 20;
const ZONES = 3;
/** Long enough for the snapshot, an outage, and the shades that follow it. */
const OUTAGE_MS = 4_000;
const PAINTS = 5;
/** On a machine that others use as well, a hundred thousand nodes take their time. */
const PATIENCE_MS = 180_000;

interface Server {
  ask<T>(ask: Ask): Promise<T>;
  stop(): void;
}

const startServer = async (nodes: number): Promise<Server> => {
  const child: ChildProcess = fork(join(import.meta.dirname, 'server-process.ts'), [String(nodes)], {
    execArgv: ['--expose-gc'],
  });
  await once(child, 'message');
  return {
    ask: async <T>(ask: Ask) => {
      const answer = once(child, 'message');
      child.send(ask);
      return (await answer)[0] as T;
    },
    stop: () => void child.kill(),
  };
};

/** What the page notes of itself. */
interface Notes {
  /** When the wall first showed all nodes, ms after the navigation began. */
  firstPaint?: number;
  /** When the wall was last drawn, by the clock. */
  paintedAt: number;
  /** Times between frames, ms. */
  frames: number[];
}

const notesOf = (page: Page): Promise<Notes> => page.evaluate(() => (globalThis as unknown as Window).notes);

/** What is used of a browser. */
interface Window {
  notes: Notes;
  addEventListener(
    type: 'painted',
    listener: (event: { readonly target: { readonly cells: ReadonlyMap<string, unknown> } }) => void,
  ): void;
  requestAnimationFrame(frame: (at: number) => void): void;
}

/** Runs in the page before its own script. It may use nothing from here. */
const takeNotes = (nodes: number): void => {
  const page = globalThis as unknown as Window;
  const notes: Notes = { paintedAt: 0, frames: [] };
  page.notes = notes;
  page.addEventListener('painted', ({ target }) => {
    notes.paintedAt = Date.now();
    if (target.cells.size === nodes) notes.firstPaint ??= performance.now();
  });
  let last = performance.now();
  const frame = (at: number): void => {
    notes.frames.push(at - last);
    last = at;
    page.requestAnimationFrame(frame);
  };
  page.requestAnimationFrame(frame);
};

const nextFrame = (): Promise<void> =>
  new Promise((resolve) =>
    (globalThis as unknown as Window).requestAnimationFrame(() => setTimeout(resolve)),
  );

const openPage = async (browser: Browser, link: string, nodes: number): Promise<Page> => {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.addInitScript(takeNotes, nodes);
  await page.goto(link);
  await page.waitForFunction(() => (globalThis as unknown as Window).notes.firstPaint !== undefined);
  return page;
};

/** From the navigation, with the redirect that takes the token away, until the wall shows all nodes. */
const firstPaints = async (browser: Browser, server: Server, nodes: number): Promise<readonly number[]> => {
  const times: number[] = [];
  while (times.length < PAINTS) {
    await server.ask('forget');
    const page = await openPage(browser, await server.ask<string>('link'), nodes);
    times.push((await notesOf(page)).firstPaint ?? Number.NaN);
    await page.context().close();
  }
  return times;
};

/** A second reader of the stream: how many bytes it has had. */
const countBytes = async (
  page: Page,
): Promise<{ readonly bytes: () => number; readonly stop: () => void }> => {
  const cookies = await page.context().cookies();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  let bytes = 0;
  const request = get(new URL('/data/live', page.url()), { headers: { cookie } }, (response) =>
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    }),
  );
  request.on('error', () => undefined);
  await wait(OUTAGE_MS);
  return { bytes: () => bytes, stop: () => request.destroy() };
};

/** The processor time of the page's main thread so far, ms, which others on the machine do not lengthen. */
const threadOf = async (page: Page): Promise<() => Promise<number>> => {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  };
};

/** From the first event that the server hears until the wall shows all of them. */
const outage = async (page: Page, server: Server, lost: number) => {
  const threadMs = await threadOf(page);
  const before = { page: await threadMs(), server: await server.ask<number>('processor') };
  await page.evaluate(() => {
    (globalThis as unknown as Window).notes.frames.length = 0;
  });
  const startedAt = await server.ask<number>('outage');
  const counted = page.getByRole('status').filter({ hasText: `${lost} Unknown` });
  await counted.waitFor();
  await page.evaluate(nextFrame);
  const pageMs = (await threadMs()) - before.page;
  const serverMs = (await server.ask<number>('processor')) - before.server;
  const { paintedAt } = await notesOf(page);
  await wait(OUTAGE_MS);
  return { ms: paintedAt - startedAt, pageMs, serverMs, frames: (await notesOf(page)).frames };
};

const measure = async (browser: Browser, nodes: number): Promise<readonly Figure[]> => {
  const server = await startServer(nodes);
  try {
    const paints = await firstPaints(browser, server, nodes);
    const page = await openPage(browser, await server.ask<string>('link'), nodes);
    const stream = await countBytes(page);
    const snapshot = stream.bytes();
    const { ms, pageMs, serverMs, frames } = await outage(page, server, Math.ceil(nodes / ZONES));
    const changes = stream.bytes() - snapshot;
    stream.stop();
    const memory = await server.ask<number>('memory');
    const of = `${nodes.toLocaleString('en-US')} nodes`;
    const isLarge = nodes > 10_000;
    return [
      {
        name: `first paint, ${of}`,
        unit: 'ms',
        value: quantile(paints, 0.5),
        min: Math.min(...paints),
        ...(nodes === 12 ? { target: { atMost: 1_000 } } : {}),
      },
      {
        name: `outage of a zone until it is drawn, ${of}`,
        unit: 'ms',
        value: ms,
        ...(isLarge ? {} : { target: { atMost: 1_000 } }),
      },
      {
        name: `frames meanwhile, ${of}`,
        unit: 'ms',
        value: quantile(frames, 0.5),
        p99: quantile(frames, 0.99),
        note: `longest ${Math.round(Math.max(...frames))} ms`,
      },
      { name: `processor of the page for it, ${of}`, unit: 'ms', value: pageMs },
      {
        name: `processor of the server for it, ${of}`,
        unit: 'ms',
        value: serverMs,
        note: 'with a second reader of the stream',
      },
      { name: `snapshot, ${of}`, unit: 'KB', value: snapshot / 1_000 },
      { name: `outage in the stream, ${of}`, unit: 'KB', value: changes / 1_000 },
      { name: `memory of the server, ${of}`, unit: 'MB', value: memory / MB },
    ];
  } finally {
    server.stop();
  }
};

export const page: Bench = async ({ large }) => {
  const missing = missingBrowser();
  if (missing !== undefined) return { skipped: `skipped: ${missing}` };
  const browser = await startBrowser();
  try {
    const figures: Figure[] = [];
    for (const nodes of [12, 10_000, ...(large ? [100_000] : [])])
      figures.push(...(await measure(browser, nodes)));
    return figures;
  } finally {
    await browser.close();
  }
};
