import { describe, expect, it } from 'vitest';
import { createUsageReader } from '../../../../agent/stats/usage-reader.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';

const SECOND = 1_000_000_000;

/** One core of the node is always busy. */
const setUp = () => {
  const clock = createVirtualClock(0);
  const state = { measured: 0, isBroken: false };
  const reader = createUsageReader({
    clock: { uptime: clock.now, sleep: clock.sleep },
    measurable: () => [],
    stats: {
      node: async () => {
        state.measured += 1;
        if (state.isBroken) throw new Error('no memory');
        return { cpu: { time: clock.now(), usageCoreNanoSeconds: (clock.now() / 1000) * SECOND } };
      },
      pods: async () => [],
    },
  });
  const read = () => clock.run(reader.read());
  return { clock, state, reader, read };
};

describe('what the machine uses', () => {
  it('is measured twice for the first who asks, and then since the last who has asked', async () => {
    const { clock, state, read } = setUp();
    const first = await read();
    expect(first.node.cpu).toMatchObject({ usageNanoCores: SECOND, windowMs: 500 });
    expect(state.measured).toBe(2);
    await clock.run(clock.sleep(15_000));
    const second = await read();
    expect(second.node.cpu).toMatchObject({ usageNanoCores: SECOND, windowMs: 15_000 });
    expect(state.measured).toBe(3);
  });

  it('is measured twice again after a minute in which nobody has asked', async () => {
    const { clock, state, read } = setUp();
    await read();
    await clock.run(clock.sleep(60_001));
    expect((await read()).node.cpu?.windowMs).toBe(500);
    expect(state.measured).toBe(4);
  });

  it('is the same for all who ask within a second, and while it is measured', async () => {
    const { clock, state, reader, read } = setUp();
    const both = await clock.run(Promise.all([reader.read(), reader.read()]));
    expect(both[0]).toBe(both[1]);
    expect(await read()).toBe(both[0]);
    expect(state.measured).toBe(2);
  });

  it('is asked for anew after a failure', async () => {
    const { state, read } = setUp();
    state.isBroken = true;
    await expect(read()).rejects.toThrow('no memory');
    state.isBroken = false;
    expect((await read()).node.cpu?.usageNanoCores).toBe(SECOND);
  });
});
