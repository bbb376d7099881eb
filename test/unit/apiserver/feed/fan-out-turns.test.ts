import { expect, it } from 'vitest';
import { createFanOut } from '../../../../shared/apiserver/feed/fan-out.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('thousands of subscribers are woken in several turns of the event loop', async () => {
  let isThere = false;
  let position = 0;
  const feed = {
    poll: async () => {
      if (!isThere || position > 0) return [];
      position = 1;
      return [{ position: 1 }];
    },
    position: () => position,
    restMs: () => 1_000_000,
  };
  const clock = { now: () => 0, sleep: () => new Promise<void>(() => undefined) };
  const fanOut = createFanOut(
    { head: async () => 0, follow: () => feed },
    { clock, onError: () => undefined },
  );
  let told = 0;
  const { signal } = new AbortController();
  for (let index = 0; index < 1_000; index += 1)
    void fanOut
      .subscribe(0, signal)
      .next(1_000_000)
      .then(() => {
        told += 1;
      });
  for (let wait = 0; wait < 5; wait += 1) await turn();
  isThere = true;
  fanOut.ring();
  const each: number[] = [];
  for (let before = 0; told < 1_000; before = told) {
    await turn();
    each.push(told - before);
  }
  expect(Math.max(...each)).toBeLessThanOrEqual(64);
});
