import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Abuse, AbusiveRequest } from '../../support/abuse/abuse.ts';
import { ABUSES } from '../../support/abuse/requests.ts';
import type { Work, WorkCounter } from '../../support/abuse/work.ts';
import { startCounting } from '../../support/abuse/work.ts';
import type { TestApi } from '../../support/servers/api.ts';
import { createTestApi } from '../../support/servers/api.ts';

/** Sizes that are counted, as multiples of the smallest. */
const STEPS = [1, 2, 4] as const;
const SMALLEST = 100;
const WARM_UP = 10;
/**
 * For each further byte the second step may do so many times the work of the first: n log n has 1.15 here, n² has 2, as long
 * as what does not grow is left out.
 */
const MOST_GROWTH = 1.4;
/** Steps that are too few to tell growth from chance. */
const FEW = 5_000;

const send = (api: TestApi, { method, path, headers, body }: AbusiveRequest) =>
  api.send(method, path, { as: 'admin', headers, raw: body });

const bytesOf = ({ path, headers, body }: AbusiveRequest): number =>
  path.length + JSON.stringify(headers).length + body.length;

let counter: WorkCounter;
beforeAll(() => {
  counter = startCounting();
});
afterAll(() => counter.stop());

interface Cost extends Work {
  readonly bytes: number;
}

interface Prepared {
  readonly bytes: number;
  readonly run: () => Promise<unknown>;
}

const prepare = async ({ before, request }: Abuse, size: number): Promise<Prepared> => {
  const api = createTestApi();
  for (const one of before?.(size) ?? []) await send(api, one);
  const abusive = request(size);
  return { bytes: bytesOf(abusive), run: () => send(api, abusive) };
};

const costsOf = async (abuse: Abuse): Promise<readonly Cost[]> => {
  // What is made once, such as tables of fields, is made before.
  await (await prepare(abuse, WARM_UP)).run();
  const all: Prepared[] = [];
  for (const step of STEPS) all.push(await prepare(abuse, step * (abuse.smallest ?? SMALLEST)));
  counter.reset();
  const costs: Cost[] = [];
  for (const { bytes, run } of all) costs.push({ bytes, ...(await counter.count(run)) });
  return costs;
};

type Measure = (cost: Cost) => number;

/** Work per byte of the second step, as a multiple of that of the first. */
const growthOf = (costs: readonly Cost[], measure: Measure): number => {
  const [small, middle, large] = costs;
  if (!small || !middle || !large) return 0;
  const [first, second] = [measure(middle) - measure(small), measure(large) - measure(middle)];
  const bytes = (large.bytes - middle.bytes) / Math.max(1, middle.bytes - small.bytes);
  return second < FEW ? 0 : second / Math.max(first, FEW / 2) / Math.max(bytes, 2);
};

/** The larger growth of both counts. */
const worstGrowth = ({ name }: Abuse, costs: readonly Cost[]): number => {
  const blocks = growthOf(costs, (cost) => cost.blocks);
  // What the expressions of the YAML parser go through is bounded by the size of the body.
  return name.startsWith('YAML')
    ? blocks
    : Math.max(
        blocks,
        growthOf(costs, (cost) => cost.scanned),
      );
};

/** What is made once, when it is first needed, adds to one count only; what is the request's own is there each time. */
const TRIES = 5;

const least = (one: Cost, other: Cost | undefined): Cost => ({
  bytes: one.bytes,
  blocks: Math.min(one.blocks, other?.blocks ?? one.blocks),
  scanned: Math.min(one.scanned, other?.scanned ?? one.scanned),
});

const leastCosts = async (abuse: Abuse): Promise<readonly Cost[]> => {
  let costs = await costsOf(abuse);
  for (let tries = 1; tries < TRIES && worstGrowth(abuse, costs) >= MOST_GROWTH; tries += 1) {
    const again = await costsOf(abuse);
    costs = costs.map((cost, step) => least(cost, again[step]));
  }
  return costs;
};

describe('the work of a request grows no faster than n log n', () => {
  it.each(ABUSES.map((abuse) => [abuse.name, abuse] as const))('%s', async (_name, abuse) => {
    const costs = await leastCosts(abuse);
    expect(worstGrowth(abuse, costs), JSON.stringify(costs)).toBeLessThan(MOST_GROWTH);
  });
});
