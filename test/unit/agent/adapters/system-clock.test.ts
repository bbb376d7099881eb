import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createSystemClock } from '../../../../agent/adapters/system-clock.ts';
import { waitAtMost } from '../../../../agent/wait-at-most.ts';
import { createWaker } from '../../../../agent/waker.ts';

const DAY_MS = 86_400_000;

afterEach(() => vi.restoreAllMocks());

/** Counts the timers that were set from now on, and have neither rung nor been cleared. Those of the test's runner do not count. */
const watchTimers = (): (() => number) => {
  const running = new Set<unknown>();
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((ring: () => void, ms: number) => {
    const timer = set(() => {
      running.delete(timer);
      ring();
    }, ms);
    running.add(timer);
    return timer;
  }) as typeof setTimeout);
  vi.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
    running.delete(timer);
    clear(timer);
  });
  return () => running.size;
};

describe('the clock of the machine', () => {
  it('leaves no timer and no listener behind a sleep that ends early', async () => {
    const clock = createSystemClock(new AbortController().signal);
    const [timers, early] = [watchTimers(), new AbortController()];
    const slept = clock.sleep(DAY_MS, early.signal);
    expect(timers()).toBe(1);
    early.abort();
    await slept;
    expect(timers()).toBe(0);
    expect(getEventListeners(early.signal, 'abort')).toEqual([]);
  });

  it('wakes all when the agent stops, and nobody sleeps any more', async () => {
    const stop = new AbortController();
    const clock = createSystemClock(stop.signal);
    const timers = watchTimers();
    const all = Promise.all([clock.sleep(DAY_MS), clock.sleep(DAY_MS, new AbortController().signal)]);
    stop.abort();
    await all;
    await clock.sleep(DAY_MS);
    expect(timers()).toBe(0);
  });

  it('does not sleep if that ends before it begins', async () => {
    await createSystemClock(new AbortController().signal).sleep(DAY_MS, AbortSignal.abort());
  });
});

it('a waker that was woken leaves no timer; a wake-up before the wait counts once', async () => {
  const waker = createWaker(createSystemClock(new AbortController().signal));
  const timers = watchTimers();
  const waited = waker.wait(DAY_MS);
  waker.wake();
  waker.wake();
  expect(await waited).toBe(true);
  waker.wake();
  expect(await waker.wait(DAY_MS)).toBe(true);
  expect(await waker.wait(1)).toBe(false);
  expect(timers()).toBe(0);
});

it('a limit on work leaves no timer, whether the work is done, fails, or takes too long', async () => {
  const clock = createSystemClock(new AbortController().signal);
  const timers = watchTimers();
  expect(await waitAtMost(clock, DAY_MS, Promise.resolve())).toBe(true);
  await expect(waitAtMost(clock, DAY_MS, Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await waitAtMost(clock, 1, new Promise(() => undefined))).toBe(false);
  expect(timers()).toBe(0);
});
