// What explanations say agrees with what the controllers then do: what is foretold comes about then, and what is not foretold does not
// come, unless something happens that the explanation has named.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BAD_DAY, NO_FAULTS } from '../../../../shared/adapters/hostile/process.ts';
import { unexplained } from '../../../support/planes/bad-day.ts';
import { judgeExplanations } from './explain-referee.ts';
import { liveExplained } from './explain-world.ts';

const MINUTE_MS = 60_000;
/** Nothing is late by more than a pass and the delay of a message. */
const PASS_MS = 15_000;
/** A sweep finds what a lost message left. */
const SWEEP_MS = 320_000;

describe('explanations', () => {
  it.each([
    ['without faults', NO_FAULTS, PASS_MS, 1_500],
    ['with faults', BAD_DAY, SWEEP_MS, 20_000],
  ])(
    'agree with what happens then, %s (J-61 to J-66, J-92, J-93, J-120, J-122)',
    async (_name, rates, lateMs, countedMs) => {
      let [met, stayed] = [0, 0];
      await fc.assert(
        fc.asyncProperty(fc.integer(), async (seed) => {
          const explained = await liveExplained(seed, rates, {
            actsMs: 5 * MINUTE_MS,
            calmMs: 8 * MINUTE_MS,
          });
          const judged = judgeExplanations(explained, lateMs, countedMs);
          expect(judged.faults.slice(0, 10)).toEqual([]);
          expect(unexplained(explained.day.plane.failures)).toEqual([]);
          met += judged.met;
          stayed += judged.stayed;
        }),
        { numRuns: 4 },
      );
      expect(met).toBeGreaterThan(30);
      expect(stayed).toBeGreaterThan(1_000);
    },
    180_000,
  );
});
