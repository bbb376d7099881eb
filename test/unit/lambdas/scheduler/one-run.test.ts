// How much one run of the scheduler does, with a store as slow as a remote one.
import { describe, expect, it } from 'vitest';
import { reconcile } from '../../../../lambdas/scheduler/reconcile.ts';
import type { Invocation } from '../../../../simulation/plane/control-plane-types.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import { addNode, addPod, endSweep } from './cluster.ts';

const NODES = 20;
const PODS = 400;
/** What each call of the store takes (ms): a transaction of DynamoDB takes 10 to 20. */
const CALL_MS = 20;

const slow = ({ objects, ...ports }: Invocation): Invocation => {
  const late =
    <A extends readonly unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await ports.clock.sleep(CALL_MS);
      return call(...args);
    };
  const { read, page, commit, slots, takeRevisions } = objects;
  return {
    ...ports,
    objects: {
      ...objects,
      read: late(read),
      page: late(page),
      commit: late(commit),
      slots: late(slots),
      takeRevisions: late(takeRevisions),
    },
  };
};

describe('one run of the scheduler', () => {
  it('places 400 pods', async () => {
    const plane = createMemoryControlPlane({ invocation: slow });
    plane.set('scheduler', false);
    for (let index = 0; index < NODES; index += 1) await addNode(plane, `n${index}`, { cpu: '64' });
    for (let index = 0; index < PODS; index += 1) await addPod(plane, `p${index}`, { cpu: '1' });
    await endSweep(plane);
    const run = reconcile(plane.invoke(), { v: 1, kind: 'pod' });
    const [report] = await Promise.all([run, plane.run(60_000)]);
    expect(report.errors).toEqual([]);
    expect(report.scheduled).toBe(PODS);
  });
});
