import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createSystemClock } from '../../../../agent/adapters/system-clock.ts';
import { waitAtMost } from '../../../../agent/wait-at-most.ts';
import { createWaker } from '../../../../agent/waker.ts';

const DAY_MS = 86_400_000;

/** Timers of this process that keep it running. */
const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

describe('the clock of the machine', () => {
  it('leaves no timer and no listener behind a sleep that ends early', async () => {
    const clock = createSystemClock(new AbortController().signal);
    const [before, early] = [timers(), new AbortController()];
    const slept = clock.sleep(DAY_MS, early.signal);
    expect(timers()).toBe(before + 1);
    early.abort();
    await slept;
    expect(timers()).toBe(before);
    expect(getEventListeners(early.signal, 'abort')).toEqual([]);
  });

  it('wakes all when the agent stops, and nobody sleeps any more', async () => {
    const stop = new AbortController();
    const clock = createSystemClock(stop.signal);
    const before = timers();
    const all = Promise.all([clock.sleep(DAY_MS), clock.sleep(DAY_MS, new AbortController().signal)]);
    stop.abort();
    await all;
    await clock.sleep(DAY_MS);
    expect(timers()).toBe(before);
  });

  it('does not sleep if that ends before it begins', async () => {
    await createSystemClock(new AbortController().signal).sleep(DAY_MS, AbortSignal.abort());
  });
});

it('a waker that was woken leaves no timer; a wake-up before the wait counts once', async () => {
  const waker = createWaker(createSystemClock(new AbortController().signal));
  const before = timers();
  const waited = waker.wait(DAY_MS);
  waker.wake();
  waker.wake();
  expect(await waited).toBe(true);
  waker.wake();
  expect(await waker.wait(DAY_MS)).toBe(true);
  expect(await waker.wait(1)).toBe(false);
  expect(timers()).toBe(before);
});

it('a limit on work leaves no timer, whether the work is done, fails, or takes too long', async () => {
  const clock = createSystemClock(new AbortController().signal);
  const before = timers();
  expect(await waitAtMost(clock, DAY_MS, Promise.resolve())).toBe(true);
  await expect(waitAtMost(clock, DAY_MS, Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await waitAtMost(clock, 1, new Promise(() => undefined))).toBe(false);
  expect(timers()).toBe(before);
});
