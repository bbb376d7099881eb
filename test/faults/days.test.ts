import { describe, expect, it } from 'vitest';
import { checkDay, dyingAt, VERY_BAD_DAY } from '../property/lambdas/fault-checks.ts';

const STEPS = 1_000_000;
/** Every place of the first minutes of a day's work in which a process can die. */
const POINTS = 400;

/** A first seed of one's own repeats a run; days count up from it. */
const first = Number(process.env['FAULTS_SEED'] ?? Math.floor(Date.now() / 1000));

const tell = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const checked = async (seed: number, plan: Parameters<typeof checkDay>[1], what: string): Promise<number> => {
  try {
    return await checkDay(seed, plan);
  } catch (error) {
    tell(`seed ${seed}, ${what}: repeat with FAULTS_SEED=${seed}`);
    throw error;
  }
};

describe('days with faults end as those without', () => {
  it(`over ${STEPS} calls of processes`, async () => {
    let [steps, days] = [0, 0];
    for (; steps < STEPS; days += 1)
      steps += await checked(first + days, { rates: VERY_BAD_DAY, isRough: true }, 'whatever strikes');
    tell(`${steps} steps in ${days} days, seeds ${first} to ${first + days - 1}`);
    expect(steps).toBeGreaterThanOrEqual(STEPS);
  });

  it('wherever the one process dies', async () => {
    let steps = 0;
    for (let point = 1; point <= POINTS; point += 1)
      steps += await checked(
        first,
        { rates: dyingAt(point * 7), isRough: false },
        `death at point ${point * 7}`,
      );
    tell(`${steps} steps in ${POINTS} days with one death each, seed ${first}`);
  });
});
