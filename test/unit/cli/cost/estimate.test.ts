import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { beatsUsage, requestsPerSecond } from '../../../../cli/cost/beats.ts';
import { ticksOfPass } from '../../../../cli/cost/calm.ts';
import { estimate } from '../../../../cli/cost/estimate.ts';
import type { Fleet } from '../../../../cli/cost/fleet.ts';
import { BATCH, BEAT, PASS, QUOTA } from '../../../../cli/cost/measured.ts';
import { needsOf } from '../../../../cli/cost/needs.ts';
import { LIST_PRICES } from '../../../../cli/cost/prices.ts';
import { passesUsage } from '../../../../cli/cost/upkeep.ts';
import { listDollars } from '../../../../cli/cost/usage.ts';

const fleet = (nodes: number, more: Partial<Fleet> = {}): Fleet => ({
  nodes,
  intervalSeconds: 10,
  zones: 3,
  isRelayed: false,
  isProvisioned: false,
  hasAgents: false,
  stack: 'full',
  hasDashboard: false,
  hasZoneMetrics: false,
  isBusy: false,
  ...more,
});

/** The numbers of the first row of a page that begins so, without what stands before the first `|`. */
const numbersOf = (path: string, row: string): readonly number[] => {
  const line = readFileSync(path, 'utf8')
    .split('\n')
    .find((one) => one.startsWith(row));
  const cells = (line ?? '').slice(row.length).split('|').slice(1, -1);
  return cells.map((cell) => Number((/[\d.,]+/.exec(cell)?.[0] ?? 'NaN').replaceAll(',', '')));
};

/** Whether `shown` is `value` with as many digits as it has. */
const isRounded = (shown: number, value: number): boolean => {
  const [, decimals = ''] = String(shown).split('.');
  const step = decimals === '' ? 1 : 10 ** -decimals.length;
  return Math.abs(shown - value) <= step * 0.51;
};

const SIZES = [100, 1_000, 10_000, 100_000];

const beatsDollars = (given: Fleet): number => listDollars(beatsUsage(given), LIST_PRICES);
const passesDollars = (given: Fleet): number => listDollars(passesUsage(given), LIST_PRICES);

const expectRow = (path: string, row: string, values: readonly number[]): void => {
  const shown = numbersOf(path, row).slice(-values.length);
  expect(shown, row).toHaveLength(values.length);
  const wrong = shown.flatMap((one, index) => (isRounded(one, values[index] ?? 0) ? [] : [values[index]]));
  expect(wrong, `${row}: ${shown.join(', ')}`).toEqual([]);
};

describe('the tables of docs/benchmarks.md', () => {
  it.each([
    ['| **function URL, Lambda, DynamoDB** (deployed)', false],
    ['| relay of 100 nodes, packed', true],
  ])('%s: dollars of the beats', (row, isRelayed) => {
    expectRow(
      'docs/benchmarks.md',
      row,
      SIZES.map((nodes) => beatsDollars(fleet(nodes, { isRelayed }))),
    );
  });

  it.each<[string, Partial<Fleet>]>([
    ['| passes of a calm fleet', {}],
    ['| the same behind relays', { isRelayed: true }],
    ['| passes of a busy fleet', { isBusy: true }],
  ])('%s: dollars of the passes', (row, more) => {
    expectRow(
      'docs/benchmarks.md',
      row,
      SIZES.map((nodes) => passesDollars(fleet(nodes, more))),
    );
  });

  it.each<[string, 'dollars' | 'dollarsAfterFree']>([
    ['| the stack alone, list', 'dollars'],
    ['| the stack alone, after the free', 'dollarsAfterFree'],
  ])('%s', (row, column) => {
    expectRow(
      'docs/benchmarks.md',
      row,
      SIZES.map((nodes) => estimate(fleet(nodes), LIST_PRICES).stack[column]),
    );
  });

  it('an EKS control plane', () => {
    const dollars = SIZES.map((nodes) => {
      const { standardDollars, provisionedDollars } = estimate(fleet(nodes), LIST_PRICES).eks;
      return provisionedDollars ?? standardDollars;
    });
    expectRow('docs/benchmarks.md', '| an EKS control plane, to compare', dollars);
  });
});

describe('the other pages', () => {
  it('docs/large-fleets.md has the price of the beats and of the passes of 130,000 nodes', () => {
    expectRow(
      'docs/large-fleets.md',
      '| price of the beats',
      [false, true].map((isRelayed) => beatsDollars(fleet(130_000, { isRelayed }))),
    );
    const [passes = 0] = numbersOf('docs/large-fleets.md', '| price of the passes');
    expect(isRounded(passes, passesDollars(fleet(130_000, { isBusy: true })))).toBe(true);
  });

  it('docs/large-fleets.md has what the beats of 130,000 nodes need', () => {
    const requests = [false, true].map((isRelayed) => requestsPerSecond(fleet(130_000, { isRelayed })));
    const [direct = 0, relayed = 0] = requests;
    const expectNeed = (row: string, values: readonly number[]): void =>
      expectRow('docs/large-fleets.md', row, values);
    expectNeed("| requests to the heartbeat's URL", requests);
    expectNeed('| writes', [direct * BEAT.writes, relayed * BATCH.writes]);
    expectNeed('| executions at a time', [direct * BEAT.seconds, relayed * BATCH.seconds]);
    expectNeed(
      '| concurrency that the URL needs',
      requests.map((each) => each / QUOTA.requestsOfExecution),
    );
    const [reads = 0] = numbersOf('docs/large-fleets.md', '| a pass of the monitor');
    expect(isRounded(reads, (130_000 / PASS.nodes) * PASS.reads)).toBe(true);
  });

  it('docs/relay.md has the price of a node behind a relay', () => {
    const [, shown] = /\$([\d.]+) per node-month/.exec(readFileSync('docs/relay.md', 'utf8')) ?? [];
    const dollars = beatsDollars(fleet(10_000, { isRelayed: true })) / 10_000;
    expect(shown).toBe(dollars.toFixed(4));
  });
});

describe('an estimate', () => {
  it('is the sum of its lines', () => {
    const { lines, dollars, dollarsPerNode } = estimate(fleet(2_500, { hasAgents: true }), LIST_PRICES);
    expect(lines.map(({ name }) => name)).toEqual([
      'heartbeats',
      'agents',
      'egress',
      'polling',
      'ticks',
      'passes',
      'sweeps',
      'alarms',
      'metrics',
      'secret',
      'logs',
    ]);
    expect(dollars).toBeCloseTo(lines.reduce((sum, line) => sum + line.dollars, 0));
    expect(dollarsPerNode).toBeCloseTo(dollars / 2_500);
  });

  it('has no ticks and passes without nodes or controllers, and then no metrics of zones', () => {
    const names = (given: Fleet) => estimate(given, LIST_PRICES).lines.map(({ name }) => name);
    expect(names(fleet(0))).not.toContain('ticks');
    expect(names(fleet(10, { stack: 'none' }))).not.toContain('passes');
    expect(estimate(fleet(0), LIST_PRICES)).not.toHaveProperty('dollarsPerNode');
  });

  it.each([
    ['the lag of the monitor and the duration of passes', {}, 2],
    ['size and health of each zone, if they are wanted', { hasZoneMetrics: true }, 8],
  ])('has the metrics of a calm fleet: %s', (_, more, count) => {
    const line = estimate(fleet(100, more), LIST_PRICES).lines.find(({ name }) => name === 'metrics');
    expect(line?.dollars).toBeCloseTo(count * LIST_PRICES.metricMonth);
  });

  it('is nothing after the free amounts as long as they last, and then less by them', () => {
    const linesOf = (nodes: number) =>
      new Map(estimate(fleet(nodes), LIST_PRICES).lines.map((line) => [line.name, line]));
    const egress = [100, 1_000].map((nodes) => linesOf(nodes).get('egress'));
    expect(egress[0]?.dollarsAfterFree).toBe(0);
    expect((egress[1]?.dollars ?? 0) - (egress[1]?.dollarsAfterFree ?? 0)).toBeCloseTo(9);
    const { dollars, dollarsAfterFree } = linesOf(100).get('alarms') ?? {};
    expect([dollars, dollarsAfterFree]).toEqual([expect.closeTo(1.8), expect.closeTo(0.8)]);
  });

  it.each<[string, Partial<Fleet>, number]>([
    ['a calm fleet: one tick in six, if its oldest beat is as old as it can be', {}, 6],
    ['a busy one: each', { isBusy: true }, 1],
    ['behind relays: one in two, by when a relay is silent', { isRelayed: true }, 2],
    ['with rarer beats: sooner', { intervalSeconds: 15 }, 5],
  ])('counts the passes of %s', (_, more, ticks) => {
    expect(ticksOfPass(fleet(100, more))).toBe(ticks);
  });

  it.each([
    ['half as many beats cost half as much', { intervalSeconds: 20 }, 0.5],
    ['batches of a relay do not come more often when its machines do', { isRelayed: true }, 0.018],
  ])('%s', (_, more, share) => {
    const whole = beatsDollars(fleet(1_000));
    expect(beatsDollars(fleet(1_000, more)) / whole).toBeCloseTo(share, 3);
    expect(beatsDollars(fleet(1_000, { isRelayed: true, intervalSeconds: 1 }))).toBe(
      beatsDollars(fleet(1_000, { isRelayed: true })),
    );
  });

  it('takes each price from the list that it is given', () => {
    const free = Object.fromEntries(Object.keys(LIST_PRICES).map((name) => [name, 0])) as typeof LIST_PRICES;
    const all = fleet(20_000, { hasAgents: true, hasDashboard: true });
    expect(estimate(all, free)).toMatchObject({ dollars: 0, eks: { standardDollars: 0 } });
    for (const name of Object.keys(LIST_PRICES) as (keyof typeof LIST_PRICES)[]) {
      const month = (nodes: number) => estimate({ ...all, nodes }, { ...free, [name]: 1 });
      const [small, large] = [month(5_000), month(50_000)];
      const provisioned = estimate({ ...all, isProvisioned: true }, { ...free, [name]: 1 });
      expect(
        small.dollars +
          provisioned.dollars +
          small.eks.standardDollars +
          (small.eks.provisionedDollars ?? 0) +
          (large.eks.provisionedDollars ?? 0),
        name,
      ).toBeGreaterThan(0);
    }
  });
});

describe('what a fleet needs', () => {
  it.each<readonly [string, Fleet, readonly RegExp[]]>([
    ['a small one: nothing', fleet(5_000), []],
    [
      'above 500 beats a second: concurrency',
      fleet(5_010),
      [/^heartbeatReservedConcurrency of 51, instead of 50$/],
    ],
    ['behind relays: their parts', fleet(10_050, { isRelayed: true }), [/^101 parts of relays/]],
    [
      '130,000 nodes: all of docs/large-fleets.md',
      fleet(130_000),
      [
        /^heartbeatReservedConcurrency of 1300.*ask AWS/,
        /^a table warmed for 13000 .* 13 partitions/,
        /11\.1 s at 256 MB/,
      ],
    ],
    ['rarer beats: the setting', fleet(10, { intervalSeconds: 15 }), [/^heartbeatInterval of 15 s/]],
    [
      'rare beats: a longer grace period',
      fleet(10, { intervalSeconds: 30 }),
      [/^heartbeatInterval of 30 s/, /nodeMonitorGracePeriod of 120 s/],
    ],
  ])('%s', (_, given, needs) => {
    expect(needsOf(given)).toEqual(needs.map((need) => expect.stringMatching(need)));
  });
});

describe('what the pages say of costs is what `rollcall cost` computes', () => {
  it.each<[string, Fleet]>([
    ['| 100 ', fleet(100)],
    ['| 1,000 ', fleet(1_000)],
    ['| 10,000 ', fleet(10_000)],
  ])('docs/deploy.md, the whole: %s', (row, given) => {
    const { dollars, dollarsAfterFree } = estimate(given, LIST_PRICES);
    expectRow('docs/deploy.md', row, [dollars, dollarsAfterFree]);
  });

  it.each<[string, Fleet]>([
    ['| all controllers, calm ', fleet(100)],
    [
      '| all controllers, busy, `zoneMetrics`, `dashboard` ',
      fleet(100, { isBusy: true, hasDashboard: true, hasZoneMetrics: true }),
    ],
    ['| `profile=lifecycle`, calm ', fleet(100, { stack: 'lifecycle' })],
    ['| `profile=lifecycle`, no nodes ', fleet(0, { stack: 'lifecycle' })],
  ])('docs/deploy.md, the stack alone: %s', (row, given) => {
    const { dollars, dollarsAfterFree } = estimate(given, LIST_PRICES).stack;
    expectRow('docs/deploy.md', row, [dollars, dollarsAfterFree]);
  });

  it.each<[string, Partial<Fleet>]>([
    ['| each 10 s (default) ', {}],
    ['| each 10 s, `heartbeatCapacity` ', { isProvisioned: true }],
    [
      '| each 15 s, `heartbeatCapacity`, `heartbeatInterval=15s` ',
      { isProvisioned: true, intervalSeconds: 15 },
    ],
    ['| relays, 100 nodes each ', { isRelayed: true }],
  ])('docs/deploy.md, a node and month: %s', (row, more) => {
    const { lines } = estimate(fleet(10_000, more), LIST_PRICES);
    const dollars = lines
      .filter(({ isOfMachines }) => isOfMachines)
      .reduce((sum, line) => sum + line.dollars, 0);
    const [told = Number.NaN] = numbersOf('docs/deploy.md', row);
    expect(isRounded(told, dollars / 10_000), `${dollars / 10_000}`).toBe(true);
  });

  it('README.md: 1,000 nodes', () => {
    const [told = Number.NaN] = numbersOf('README.md', '| cost of 1,000 nodes ');
    const { dollars } = estimate(fleet(1_000), LIST_PRICES);
    expect(Math.abs(told - dollars) / dollars).toBeLessThan(0.01);
  });
});
