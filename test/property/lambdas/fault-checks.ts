/** The checks of a day with faults, for the property part of `npm test` and for `npm run test:faults`. */
import { expect } from 'vitest';
import type { FaultRates } from '../../../shared/adapters/hostile/process.ts';
import { BAD_DAY, NO_FAULTS } from '../../../shared/adapters/hostile/process.ts';
import { unexplained } from '../../support/planes/bad-day.ts';
import type { FaultPlan } from './fault-run.ts';
import { digest, hurried, liveThrough, repetitions, violated } from './fault-run.ts';

const isPoison = (error: unknown): boolean => error instanceof Error && error.name === '$ZodError';

/** Tokens are told apart by the clock, so clocks are right here; `silence.prop.test.ts` has those that are not. */
export const VERY_BAD_DAY: FaultRates = { ...BAD_DAY, messageDelayMs: 120_000, clockSkewMs: 0 };

/** Lives a day through and checks it against the faultless one. Returns how many calls were made under faults. */
export const checkDay = async (seed: number, plan: FaultPlan): Promise<number> => {
  const calm = await liveThrough(seed, { rates: NO_FAULTS, isRough: false });
  const run = await liveThrough(seed, plan);
  expect(await digest(run)).toEqual(await digest(calm));
  expect(repetitions(run)).toEqual([]);
  expect(violated(run)).toEqual([]);
  expect(hurried(run)).toEqual([]);
  expect(unexplained(run.day.plane.failures).filter((error) => !isPoison(error))).toEqual([]);
  return run.day.steps();
};

/** Rates of a day on which one process dies, at the `point`-th place where one can: before or after any call. */
export const dyingAt = (point: number): FaultRates => {
  let asked = 0;
  return Object.defineProperty({ ...NO_FAULTS }, 'crash', {
    get: () => {
      asked += 1;
      return asked === point ? 2 : 0;
    },
  });
};
