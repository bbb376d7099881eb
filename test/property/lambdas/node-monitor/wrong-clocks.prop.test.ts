import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reconcile } from '../../../../lambdas/node-monitor/reconcile.ts';
import type { ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import * as fleet from '../../../support/planes/fleet.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;
const GRACE_MS = 40 * SECOND;
const PERIOD_MS = 5 * SECOND;
const STEPS = 40;
/** The grace period, one more as the price of a wrong clock, and the time until the next pass. */
const LONGEST_MS = 2 * GRACE_MS + PERIOD_MS;
const STEPS_UNTIL_FOUND = STEPS + LONGEST_MS / PERIOD_MS;
const SOURCES = ['plain', 'status', 'relay'] as const;

type Source = (typeof SOURCES)[number];

/** One function whose clock is wrong: it stores some of the beats with a clock that is ahead, or runs some of the passes behind. */
interface Fault {
  readonly isOfBeats: boolean;
  readonly errorMs: number;
  /** The steps at which that function does the work. */
  readonly isAtWork: readonly boolean[];
  readonly sources: readonly Source[];
  /** The step from which the node `dead` no longer beats. */
  readonly diesAt: number;
}

const perStep = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.array(value, { minLength: STEPS_UNTIL_FOUND, maxLength: STEPS_UNTIL_FOUND });

const faults: fc.Arbitrary<Fault> = fc.record({
  isOfBeats: fc.boolean(),
  errorMs: fc.constantFrom(2 * SECOND, 30 * SECOND, 90 * SECOND, HOUR, 365 * DAY),
  isAtWork: perStep(fc.boolean()),
  sources: perStep(fc.constantFrom(...SOURCES)),
  diesAt: fc.integer({ min: 0, max: STEPS }),
});

const beat = (plane: ControlPlane, node: string, aheadMs = 0, source: Source = 'plain') => {
  const at = plane.clock.now() + aheadMs;
  return plane.state.heartbeats.beat({ node, source, at, expiresAt: at + DAY });
};

const pass = (plane: ControlPlane, behindMs = 0) => {
  const clock = { ...plane.clock, now: () => plane.clock.now() - behindMs };
  return plane.clock.run(reconcile({ ...plane.invoke(), clock }, { v: 1, kind: 'tick', at: clock.now() }));
};

/** Two nodes that are Ready, and so old that their creation excuses nothing. */
const aPlane = async (skipsCalmPasses: boolean): Promise<ControlPlane> => {
  const plane = createMemoryControlPlane({ skipsCalmPasses });
  for (const name of ['alive', 'dead']) await fleet.addNode(plane, name);
  // Passes begin at multiples of their period.
  plane.clock.advance(2 * 365 * DAY + PERIOD_MS - (plane.clock.now() % PERIOD_MS));
  for (const name of ['alive', 'dead']) await beat(plane, name);
  await pass(plane);
  return plane;
};

/** The beats of one step, which come with every second pass, and its pass. */
const runStep = async (plane: ControlPlane, fault: Fault, step: number): Promise<void> => {
  const { isOfBeats, isAtWork, sources, diesAt } = fault;
  const errorMs = isAtWork[step] === true ? fault.errorMs : 0;
  plane.clock.advance(PERIOD_MS);
  const beating = step < diesAt ? ['alive', 'dead'] : ['alive'];
  if (step % 2 === 0)
    for (const name of beating) await beat(plane, name, isOfBeats ? errorMs : 0, sources[step]);
  await pass(plane, isOfBeats ? 0 : errorMs);
};

/** Milliseconds from the last beat of the node that died until it was found silent. */
const foundAfterMs = async (fault: Fault, skipsCalmPasses: boolean): Promise<number> => {
  const plane = await aPlane(skipsCalmPasses);
  let lastBeatAt = plane.clock.now();
  for (let step = 0; step < STEPS_UNTIL_FOUND; step += 1) {
    await runStep(plane, fault, step);
    if (step < fault.diesAt && step % 2 === 0) lastBeatAt = plane.clock.now();
    expect(await fleet.readyOf(plane, 'alive')).toBe('True');
    if ((await fleet.readyOf(plane, 'dead')) === 'Unknown') return plane.clock.now() - lastBeatAt;
  }
  return Number.POSITIVE_INFINITY;
};

test('one wrong clock flips no node that beats, and hides a silent one for one more grace period at most (G-13, G-14)', async () => {
  await fc.assert(
    fc.asyncProperty(faults, fc.boolean(), async (fault, skipsCalmPasses) => {
      const foundMs = await foundAfterMs(fault, skipsCalmPasses);
      expect(foundMs).toBeGreaterThan(GRACE_MS);
      expect(foundMs).toBeLessThanOrEqual(LONGEST_MS);
    }),
    { numRuns: 120 },
  );
});
