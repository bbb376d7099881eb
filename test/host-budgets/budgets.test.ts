/**
 * What a write costs a host, counted: transactions, statements, messages, bytes, inflations. Counts do not depend on the machine. A count
 * above its budget fails, and so does one below nine tenths of it: the line to put into `budgets.json` is in the failure.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, it, vi } from 'vitest';
import type { ApiObject } from '../../shared/kube/types/meta.ts';
import { type BudgetHost, startBudgetHost } from './budget-host.ts';
import { CASES, type Case, WATCHED } from './cases.ts';
import { type Counter, startCounter } from './counter.ts';

type Counts = Readonly<Record<string, number>>;
type OfCases = Readonly<Record<string, Counts>>;

const BUDGETS = JSON.parse(readFileSync(new URL('budgets.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, OfCases>
>;

const PATIENCE_MS = 120_000;
const FAKED = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] as const;
const TURN_MS = 1;
const PHASE_MS = 2_000;
/** Numbers that are spread evenly: the fraction of the golden ratio. */
const RANDOM_STEP = 0.618_033_988_75;
const KILOBYTE = 1_024;
/** So many in all are no difference: where a turn ends, and with it a group, is not the same in each process. A new message for each of 64 is one. */
const SLACK = 12;
/** Of kilobytes: some pages. */
const SLACK_KILOBYTES = 16;

const rounded = (value: number): number => Number(value.toPrecision(3));

const isWithin = (what: string, found: number, budget: number, objects: number): boolean =>
  Math.abs(found - budget) * objects <= (what === 'kilobytes' ? SLACK_KILOBYTES : SLACK) ||
  (found <= budget && found >= 0.9 * budget);

const faultsOf = (budgets: OfCases, found: OfCases, objects: number): readonly string[] =>
  Object.entries(found).flatMap(([name, counts]) =>
    Object.entries(counts).flatMap(([what, count]) => {
      const budget = budgets[name]?.[what] ?? 0;
      if (isWithin(what, count, budget, objects)) return [];
      return [
        `${name}: ${what} ${count} ${count > budget ? 'is above' : 'is far below'} the budget of ${budget}`,
      ];
    }),
  );

/** What `budgets.json` has to say instead. */
const pasted = (title: string, found: OfCases): readonly string[] => [
  `"${title}": {`,
  ...Object.entries(found).map(([name, counts]) => `  "${name}": ${JSON.stringify(counts)},`),
  '}',
];

const root = mkdtempSync(join(tmpdir(), 'rollcall-budgets-'));
afterAll(() => rmSync(root, { recursive: true }));

let counter: Counter;
/** Real time plays no part: each turn of the event loop lasts a millisecond. */
let turning: Promise<void>;
let isOver: boolean;
const runTurns = async (): Promise<void> => {
  while (!isOver) {
    await turn();
    vi.advanceTimersByTime(TURN_MS);
  }
};

beforeEach(() => {
  isOver = false;
  vi.useFakeTimers({ toFake: [...FAKED] });
  turning = runTurns();
  let drawn = 0;
  vi.spyOn(Math, 'random').mockImplementation(() => {
    drawn = (drawn + RANDOM_STEP) % 1;
    return drawn;
  });
  counter = startCounter();
});
afterEach(async () => {
  isOver = true;
  await turning;
  counter.restore();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const ROUNDS = 3;
/** The number of the objects that are written before anything is counted. */
const WARM = 999;
const WAYS = { 'one after the other': 8, 'as 64 in one turn': 64 };

/** Counts of a case per object. */
const countCase = async (
  host: BudgetHost,
  { before, write, after }: Case,
  count: number,
  isAtOnce: boolean,
) => {
  const all = Array.from({ length: count }, (_, index) => index);
  const made: ApiObject[] = [];
  for (const index of before ? all : [])
    made.push(...[await before?.(host, index)].filter((one) => one !== undefined));
  await host.idle();
  // What is rounded to seconds is rounded alike in each run.
  while (Date.now() % PHASE_MS !== 0) await turn();
  counter.take();
  const [bytes, routed] = [host.bytes(), host.routed()];
  if (isAtOnce) await Promise.all(all.map((index) => write(host, index, made[index])));
  else
    for (const index of all) {
      await write(host, index, made[index]);
      await host.idle();
    }
  await host.idle();
  const totals = {
    ...counter.take(),
    routed: host.routed() - routed,
    kilobytes: (host.bytes() - bytes) / KILOBYTE,
  };
  for (const index of after ? all : []) await after?.(host, index);
  return Object.fromEntries(Object.entries(totals).map(([name, total]) => [name, rounded(total / count)]));
};

/** All cases on one new host. */
const countAll = async (folder: string, watched: readonly string[], count: number): Promise<OfCases> => {
  const host = await startBudgetHost(folder, counter);
  try {
    for (const path of watched) await host.watch(path);
    // Modules are loaded at their first use.
    for (const { before, write } of CASES) {
      await write(host, WARM, await before?.(host, WARM));
      await host.idle();
    }
    const found: Record<string, Counts> = {};
    for (const one of CASES) found[one.name] = await countCase(host, one, count, count > 8);
    return found;
  } finally {
    await host.stop();
  }
};

/** The least of several hosts: where a turn ends is not the same each time. */
const least = (all: readonly OfCases[]): OfCases =>
  Object.fromEntries(
    Object.entries(all[0] ?? {}).map(([name, counts]) => [
      name,
      Object.fromEntries(
        Object.keys(counts).map((what) => [what, Math.min(...all.map((one) => one[name]?.[what] ?? 0))]),
      ),
    ]),
  );

describe.each(Object.entries(WAYS))('what a write costs a host, %s', (way, count) => {
  it.each([
    ['no watch', []],
    ['watches', WATCHED],
  ])('with %s, is its budget', { timeout: PATIENCE_MS }, async (watches, paths) => {
    const title = `${way}, ${watches}`;
    const all: OfCases[] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      all.push(await countAll(join(root, `${count}-${watches}-${round}`), paths, count));
    const found = least(all);
    const faults = faultsOf(BUDGETS[title] ?? {}, found, count);
    if (faults.length > 0) throw new Error([...faults, ...pasted(title, found)].join('\n'));
  });
});
