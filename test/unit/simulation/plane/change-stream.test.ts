import { describe, expect, it } from 'vitest';
import type { Change } from '../../../../lambdas/change-router/change.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import { createChangeStream } from '../../../../simulation/plane/change-stream.ts';

/** 150 changes added together: the first one fails `failures` times. */
const setUp = (failures: number) => {
  const clock = createVirtualClock(0);
  const changes = Array.from({ length: 150 }, (_, revision) => ({ after: { revision } }) as Change);
  const batches: { readonly at: number; readonly size: number }[] = [];
  const routed: Change[] = [];
  const off = new Set<string>();
  const stream = createChangeStream({
    clock,
    isOn: () => !off.has('stream'),
    route: async (batch) => {
      batches.push({ at: clock.now(), size: batch.length });
      if (batches.length <= failures) return false;
      routed.push(...batch);
      return true;
    },
  });
  for (const change of changes) stream.add(change);
  return { clock, stream, changes, batches, routed, off };
};

describe('the change stream of the simulation', () => {
  it('routes batches of 100 in commit order, 100 ms after the first commit', async () => {
    const { clock, changes, batches, routed } = setUp(0);
    await clock.run(clock.sleep(1_000));
    expect(routed).toEqual(changes);
    expect(batches).toEqual([
      { at: 100, size: 100 },
      { at: 101, size: 50 },
    ]);
  });

  it('repeats a failed batch each second, and routes nothing behind it before', async () => {
    const { clock, changes, batches, routed } = setUp(2);
    await clock.run(clock.sleep(5_000));
    expect(routed).toEqual(changes);
    expect(batches.map(({ at }) => at)).toEqual([100, 1_100, 2_100, 2_101]);
  });

  it('loses changes while it is off, and routes later ones', async () => {
    const { clock, stream, changes, routed, off } = setUp(0);
    off.add('stream');
    await clock.run(clock.sleep(1_000));
    off.clear();
    for (const change of changes.slice(0, 1)) stream.add(change);
    await clock.run(clock.sleep(1_000));
    expect(routed).toEqual(changes.slice(0, 1));
  });
});
