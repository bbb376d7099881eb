import { describe, expect, it } from 'vitest';
import { NO_FAULTS } from '../../../shared/adapters/hostile/process.ts';
import { createMemoryControlPlane } from '../../support/planes/control-plane.ts';
import { checkDay, dyingAt, VERY_BAD_DAY } from './fault-checks.ts';
import { digest, liveThrough, QUEUES } from './fault-run.ts';

describe('a run with faults ends as one without', () => {
  it.each([1, 2, 3])('with any faults, seed %i', async (seed) => {
    const steps = await checkDay(seed, { rates: VERY_BAD_DAY, isRough: true });
    expect(steps).toBeGreaterThan(1_000);
  });

  it.each([1, 2, 3])(
    'with any faults, where passes are left out that can find nothing, seed %i',
    async (seed) => {
      await checkDay(seed, { rates: VERY_BAD_DAY, isRough: true, skipsCalmPasses: true });
    },
  );

  it.each([40, 300, 900, 1_500])('when a process crashes at call %i / 2', async (point) => {
    await checkDay(1, { rates: dyingAt(point), isRough: false });
  });

  it('and in both the pods of dead nodes are evicted', async () => {
    const { pods, nodes } = await digest(await liveThrough(1, { rates: NO_FAULTS, isRough: false }));
    expect(pods.filter(({ isEvicted }) => isEvicted).map(({ name }) => name)).toEqual([
      'a0-at-once',
      'a0-late',
      'a1-at-once',
      'a1-soon',
      'a1-late',
      'b0-at-once',
      'b0-late',
      'c0-at-once',
      'c0-soon',
      'c0-late',
    ]);
    expect(nodes.filter(([, ready]) => ready === 'Unknown').map(([name]) => name)).toEqual([
      'a0',
      'a1',
      'b0',
      'c0',
    ]);
  });
});

describe('a poison message', () => {
  it('of any queue becomes a dead letter, and the other messages are processed', async () => {
    const plane = createMemoryControlPlane({ visibilityTimeoutMs: 1_000 });
    for (const queue of QUEUES) await plane.queues.send(queue, [{ body: { v: 99, kind: 'nonsense' } }]);
    await plane.run(60_000);
    for (const queue of QUEUES) expect(await plane.deadLetters(queue)).toHaveLength(1);
    expect((await plane.state.control.readPass())?.pass).toBe(11);
  });
});
