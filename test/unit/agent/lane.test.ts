import { expect, it } from 'vitest';
import { createLane } from '../../../agent/lane.ts';

const setUp = (most: number) => {
  const lane = createLane(most);
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (name: string): void =>
    lane.add(async () => {
      began.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await new Promise(setImmediate);
  };
  return { lane, began, add, end };
};

it('work begins at once while there is room, and then in its order', async () => {
  const { lane, began, add, end } = setUp(2);
  for (const name of ['a', 'b', 'c', 'd']) add(name);
  expect(began).toEqual(['a', 'b']);
  await end('b');
  expect(began).toEqual(['a', 'b', 'c']);
  for (const name of ['a', 'c', 'd']) await end(name);
  expect(began).toEqual(['a', 'b', 'c', 'd']);
  await lane.idle();
});

it('a lane is idle before its first work, and not while one waits', async () => {
  const { lane, add, end } = setUp(1);
  await lane.idle();
  for (const name of ['a', 'b']) add(name);
  let isIdle = false;
  void lane.idle().then(() => {
    isIdle = true;
  });
  await end('a');
  expect(isIdle).toBe(false);
  await end('b');
  expect(isIdle).toBe(true);
});

it('100,000 that wait have their turns', async () => {
  const lane = createLane(1);
  let count = 0;
  for (let index = 0; index < 100_000; index += 1)
    lane.add(async () => {
      count += 1;
    });
  await lane.idle();
  expect(count).toBe(100_000);
});
