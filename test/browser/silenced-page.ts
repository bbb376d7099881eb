/** What a page shows while its source is silent. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { eventually } from '../support/clocks/eventually.ts';

/** Milliseconds after which a page that judges by its own clock has accused every node. */
export const SILENCE_MS = 9_000;

/** What a page showed at one instant. */
interface Seen {
  readonly connection: string;
  readonly main: string;
}

const isLive = ({ connection }: Seen): boolean => connection.startsWith('Live');
const forecasts = ({ main }: Seen): boolean => /becomes? Unknown:|leaves? n\d/.test(main);
export const numberOf = (word: string, { main }: Seen): number =>
  Number(new RegExp(String.raw`\b(\d+) ${word}\b`).exec(main)?.[1] ?? 0);
const NOT_READY = ['Unknown', 'NotReady'];
const accuses = (seen: Seen, before: Seen, mostLate: number): boolean =>
  numberOf('late', seen) > mostLate ||
  NOT_READY.some((word) => numberOf(word, seen) > numberOf(word, before));

/** A page, and what it has shown. */
export interface Display {
  /** Forgets what was shown, but for the nodes that were not ready in the last look: others must not join them. */
  begin(): void;
  /** Waits until the page says this of its connection. */
  until(has: RegExp): Promise<void>;
  /** Looks again and again for so long (ms). Resolves with the last look. */
  lookFor(ms: number): Promise<Seen>;
  /** What it should not have shown since `begin`: accusations, and forecasts of what is not live. */
  falsehoods(): readonly Seen[];
}

export const LIVE = /^Live/;
export const LOST = /^The API has not answered since/;

/** Looks at a page of a fleet of which at most `mostLate` nodes are late indeed. */
export const watched = (page: Page, mostLate: number): Display => {
  const told: Seen[] = [];
  let before: Seen = { connection: '', main: '' };
  const look = async (): Promise<Seen> => {
    const [connection, main] = await page.evaluate<[string, string]>(
      `['.connection', 'main'].map((one) => document.querySelector(one)?.innerText ?? '')`,
    );
    const seen = { connection, main: main.replaceAll(/\s+/g, ' ') };
    told.push(seen);
    return seen;
  };
  return {
    begin: () => {
      before = told.at(-1) ?? before;
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
    falsehoods: () =>
      told.filter((seen) => accuses(seen, before, mostLate) || (!isLive(seen) && forecasts(seen))),
  };
};

/** The page while its source is away, until it is back: nothing false was shown until then. */
export const fallsSilent = async (display: Display, begin: () => void, end: () => void): Promise<void> => {
  begin();
  await display.until(LOST);
  expect((await display.lookFor(SILENCE_MS)).connection).toMatch(LOST);
  expect(display.falsehoods()).toEqual([]);
  end();
  await display.until(LIVE);
};

/** The same of a source that knows when it was away: nothing false is shown afterwards, either. */
export const silenced = async (display: Display, begin: () => void, end: () => void): Promise<void> => {
  await fallsSilent(display, begin, end);
  await display.lookFor(SILENCE_MS);
  expect(display.falsehoods()).toEqual([]);
};
