import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resync } from '../../../lambdas/change-router/resync.ts';
import { BAD_DAY } from '../../../shared/adapters/hostile/process.ts';
import type { BadDay } from '../../support/planes/bad-day.ts';
import { createBadDay, unexplained } from '../../support/planes/bad-day.ts';
import * as fleet from '../../support/planes/fleet.ts';

const SILENT = ['a0', 'a1', 'b0'];
const FLAKY = 'b1';
const ALIVE = ['a2', 'a3', 'a4', 'b2', 'b3', 'b4'];

const isEvicted = async ({ plane }: BadDay, name: string): Promise<boolean> => {
  const pod = await fleet.readPod(plane, name);
  return pod === undefined || pod.metadata.deletionTimestamp !== undefined;
};

const addPods = async ({ plane }: BadDay, node: string): Promise<void> => {
  await fleet.addPod(plane, `${node}-at-once`, { node, tolerations: [] });
  await fleet.addPod(plane, `${node}-soon`, { node, tolerations: fleet.staying(20) });
  await fleet.addPod(plane, `${node}-late`, { node, tolerations: fleet.staying(400) });
  await fleet.addPod(plane, `${node}-never`, { node, tolerations: fleet.staying() });
};

const live = async (seed: number): Promise<BadDay> => {
  const day = createBadDay(seed, BAD_DAY, { nodeEvictionRate: 0.2 });
  const { plane } = day;
  for (const name of [...SILENT, FLAKY, ...ALIVE]) {
    await fleet.addNode(plane, name, { zone: name.slice(0, 1), ready: 'True' });
    await addPods(day, name);
  }
  const alive = new Set(ALIVE);
  fleet.keepBeating({ ...plane, ...day.beating }, alive);
  await plane.run(60_000 + day.chance.upTo(120_000));
  alive.add(FLAKY);
  await fleet.postReady(plane, FLAKY, 'True');
  await plane.run(60_000);
  day.calm();
  // A lost message of pod-readiness is made good by the hourly resync.
  await plane.clock.run(resync(plane.invoke()));
  // Until the latest deadline and a sweep: one whose deletion got lost is found when it is due.
  await plane.run(720_000);
  return day;
};

describe('after the faults have stopped', () => {
  it('silent nodes are Unknown, tainted and emptied, and all others are as before the faults', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const day = await live(seed);
        const { plane } = day;
        for (const name of SILENT) {
          expect(await fleet.readyOf(plane, name)).toBe('Unknown');
          expect(await fleet.taintsOf(plane, name)).toEqual([
            'unreachable:NoSchedule',
            'unreachable:NoExecute',
          ]);
          const evicted = await Promise.all(
            ['at-once', 'soon', 'late', 'never'].map((pod) => isEvicted(day, `${name}-${pod}`)),
          );
          expect(evicted).toEqual([true, true, true, false]);
          expect(await fleet.deadlineOf(plane, `${name}-soon`)).toBeUndefined();
          const pod = await fleet.readPod(plane, `${name}-never`);
          expect(pod?.status?.conditions?.[0]?.status).toBe('False');
        }
        for (const name of [FLAKY, ...ALIVE]) {
          expect(await fleet.readyOf(plane, name)).toBe('True');
          expect(await fleet.taintsOf(plane, name)).toEqual([]);
          expect(await fleet.deadlineOf(plane, `${name}-late`)).toBeUndefined();
          expect(await isEvicted(day, `${name}-late`)).toBe(false);
        }
        for (const name of ALIVE) expect(await isEvicted(day, `${name}-at-once`)).toBe(false);
        expect(
          (await plane.state.control.zones()).map(({ state, limiter }) => [state, limiter.rate]),
        ).toEqual([
          ['Normal', 0.2],
          ['Normal', 0.2],
        ]);
        expect(unexplained(plane.failures)).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});
