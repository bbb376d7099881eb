import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import { waitUntil } from '../../../../shared/store/turns/wait-until.ts';

const START = 1_700_000_000_000;

describe('waiting until an instant', () => {
  it.each([
    ['an instant ahead', 5_000, 5_000],
    ['an instant that is past', -5_000, 0],
  ])('ends at %s', async (_, aheadMs, waitedMs) => {
    const clock = createVirtualClock(START);
    await clock.run(waitUntil(clock, START + aheadMs));
    expect(clock.now() - START).toBe(waitedMs);
  });

  it('goes on after a timer that fired early', async () => {
    const clock = createVirtualClock(START);
    const early = { now: clock.now, sleep: (ms: number) => clock.sleep(Math.max(1, ms - 3)) };
    await clock.run(waitUntil(early, START + 1_000));
    expect(clock.now()).toBe(START + 1_000);
  });

  it.each([
    ['three seconds', 3_000],
    ['a year', 365 * 86_400_000],
  ])('ends early if the clock is set back: %s', async (_, backMs) => {
    const clock = createVirtualClock(START);
    let offset = 0;
    const stepped = {
      now: () => clock.now() + offset,
      sleep: async (ms: number) => {
        await clock.sleep(ms);
        offset = -backMs;
      },
    };
    await clock.run(waitUntil(stepped, START + 2_000));
    expect(clock.now()).toBe(START + 2_000);
  });
});
