import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { WorkCounter } from '../../../../support/abuse/work.ts';
import { startCounting } from '../../../../support/abuse/work.ts';

const LENGTH = 100;
const LIST = Array.from({ length: LENGTH }, (_, index) => index);
const TEXT = 'a'.repeat(LENGTH);

let counter: WorkCounter;
beforeAll(() => {
  counter = startCounting();
});
afterAll(() => counter.stop());

it('counts what a run does, also after a pause', async () => {
  const { scanned } = await counter.count(async () => {
    LIST.includes(-1);
    await setImmediate();
    LIST.includes(-1);
  });
  expect(scanned).toBe(2 * LENGTH);
});

it('counts the square of a text where an expression may go back', async () => {
  const { scanned } = await counter.count(async () => /a*a*b/.exec(TEXT));
  expect(scanned).toBe(LENGTH ** 2);
});

it('does not count what others do in the same thread meanwhile', async () => {
  let [isDone, others] = [false, 0];
  const other = async (): Promise<void> => {
    for (; !isDone; await setImmediate()) others += Number(!LIST.includes(-1) && !/a*a*b/.test(TEXT));
  };
  const running = other();
  const { scanned } = await counter.count(async () => {
    for (const before = others; others < before + 2; ) await setImmediate();
  });
  isDone = true;
  await running;
  expect(scanned).toBe(0);
});
