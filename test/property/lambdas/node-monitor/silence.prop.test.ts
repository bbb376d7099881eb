import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runPass } from '../../../../lambdas/node-monitor/reconcile.ts';
import { BAD_DAY } from '../../../../shared/adapters/hostile/process.ts';
import type { BadDay } from '../../../support/planes/bad-day.ts';
import { createBadDay, unexplained } from '../../../support/planes/bad-day.ts';
import * as fleet from '../../../support/planes/fleet.ts';

const NODES = 50;
const DAY_MS = 150_000;
const GRACE_MS = 40_000;
/** Clocks of invocations are wrong by this much either way, ms. */
const SKEW_MS = BAD_DAY.clockSkewMs;

interface Stored {
  readonly node: string;
  readonly at: number;
}

/** A node beats after pauses that are mostly short and now and then just about the grace. */
const beatIrregularly = async (
  { beating, chance }: BadDay,
  node: string,
  stored: Stored[],
): Promise<void> => {
  const own = chance.fork();
  const { clock } = beating;
  for (const end = clock.now() + DAY_MS; clock.now() < end; ) {
    await fleet.beat(beating, node);
    stored.push({ node, at: clock.now() });
    await clock.sleep(own.hit(0.5) ? own.upTo(12_000) : 38_000 + own.upTo(6_000));
  }
};

/** Passes that do not wait for one another: their lease ends at once. */
const monitorForever = async ({ plane, chance }: BadDay, failures: unknown[]): Promise<void> => {
  const own = chance.fork();
  for (;;) {
    const deps = { ...plane.invoke(), config: plane.config };
    await runPass(deps, plane.clock.now()).catch((error: unknown) => failures.push(error));
    await plane.clock.sleep(own.upTo(2_000));
  }
};

const flipsOf = ({ plane }: BadDay): readonly Stored[] =>
  plane.commits.flatMap(({ at, change: { before, after } }) => {
    const was = before?.state === 'live' ? before.facts.node?.ready : undefined;
    const is = after?.state === 'live' ? after.facts.node?.ready : undefined;
    return was === 'True' && is === 'Unknown' && after ? [{ node: after.key.name, at }] : [];
  });

const live = async (seed: number) => {
  const day = createBadDay(seed, BAD_DAY, { passLeaseMs: 1 });
  const { plane } = day;
  const stored: Stored[] = [];
  const failures: unknown[] = [];
  const names = Array.from({ length: NODES }, (_, index) => `n${index}`);
  for (const name of names)
    await fleet.addNode(plane, name, { zone: `z${Number(name.slice(1)) % 3}`, ready: 'True' });
  for (const name of names) void beatIrregularly(day, name, stored);
  for (let index = 0; index < 4; index += 1) void monitorForever(day, failures);
  await plane.clock.run(plane.clock.sleep(DAY_MS));
  return { flips: flipsOf(day), stored, failures };
};

describe('silence with faults', () => {
  it('is never decided within the grace period after a stored beat, even by concurrent monitors', async () => {
    let flipped = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const { flips, stored, failures } = await live(seed);
        for (const flip of flips) {
          const beats = stored.filter(({ node, at }) => node === flip.node && at <= flip.at);
          const last = Math.max(...beats.map(({ at }) => at));
          expect(flip.at - last).toBeGreaterThan(GRACE_MS - 2 * SKEW_MS);
        }
        expect(unexplained(failures)).toEqual([]);
        flipped += flips.length;
      }),
      { numRuns: 20 },
    );
    expect(flipped).toBeGreaterThan(50);
  });
});
