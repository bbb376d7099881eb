import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FaultRates } from '../../../../shared/adapters/hostile/process.ts';
import { BAD_DAY, NO_FAULTS } from '../../../../shared/adapters/hostile/process.ts';
import type { BadDay } from '../../../support/planes/bad-day.ts';
import { createBadDay, unexplained } from '../../../support/planes/bad-day.ts';
import * as fleet from '../../../support/planes/fleet.ts';

const WORKERS = 8;
const INTERVAL_MS = 2_000;
const ZONES = ['a', 'b'];

/** Nodes of two zones, all silent but a few, and each wake-up told to eight workers at once. */
const live = async (seed: number, faults: FaultRates): Promise<BadDay> => {
  const day = createBadDay(seed, faults, { nodeEvictionRate: 0.5, unhealthyZoneThreshold: 1 });
  const { plane, chance } = day;
  const alive = new Set<string>();
  for (const zone of ZONES)
    for (let index = 0; index < 14; index += 1) {
      const ready = index < 2 ? 'True' : chance.hit(0.5) ? 'Unknown' : 'False';
      await fleet.addNode(plane, `${zone}${index}`, { zone, ready });
      if (ready !== 'Unknown') alive.add(`${zone}${index}`);
    }
  fleet.keepBeating(plane, alive);
  const own = chance.fork();
  void (async () => {
    for (;;) {
      await plane.clock.sleep(own.upTo(8_000));
      const body = { v: 1, kind: 'zone', zone: ZONES[Math.floor(own.upTo(2))] ?? 'a' };
      await plane.queues.send(
        'eviction-wakeups',
        Array.from({ length: WORKERS }, () => ({ body })),
      );
    }
  })();
  await plane.run(90_000);
  return day;
};

const gapsOf = (instants: readonly number[]): readonly number[] =>
  instants.slice(1).map((at, index) => at - (instants[index] ?? 0));

const taintsOf = ({ plane }: BadDay, zone: string): readonly number[] =>
  fleet.taintInstants(plane).flatMap(({ node, at }) => (node.startsWith(zone) ? [at] : []));

const tokensOf = ({ tokens }: BadDay, zone: string): readonly number[] =>
  tokens.flatMap((token) => (token.zone === zone ? [token.at] : []));

/** How many of the instants lie between two others, at most: grants in (from, to]. */
const within = (instants: readonly number[], from: number, to: number): number =>
  instants.filter((at) => at > from && at <= to).length;

describe('the pace of a zone', () => {
  it('is exact to the millisecond for eight workers with late and doubled wake-ups', async () => {
    const faults = { ...NO_FAULTS, doubleMessage: 0.5, messageDelayMs: 3_000, indexLagMs: 3_000 };
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const day = await live(seed, faults);
        for (const zone of ZONES) {
          const taints = taintsOf(day, zone);
          expect(taints).toHaveLength(12);
          expect(Math.min(...gapsOf(taints))).toBeGreaterThanOrEqual(INTERVAL_MS);
          expect(tokensOf(day, zone)).toEqual(taints);
        }
        expect(day.plane.failures).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  it('uses each token at most once with faults, and keeps tokens one interval apart', async () => {
    let spent = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const day = await live(seed, { ...BAD_DAY, clockSkewMs: 0 });
        for (const zone of ZONES) {
          const [taints, tokens] = [taintsOf(day, zone), tokensOf(day, zone)];
          expect(Math.min(Number.POSITIVE_INFINITY, ...gapsOf(tokens))).toBeGreaterThanOrEqual(INTERVAL_MS);
          for (const at of taints) expect(within(taints, 0, at)).toBeLessThanOrEqual(within(tokens, 0, at));
          spent += taints.length;
        }
        expect(unexplained(day.plane.failures)).toEqual([]);
      }),
      { numRuns: 30 },
    );
    expect(spent).toBeGreaterThan(50);
  });
});
