import { expect, it } from 'vitest';
import { isAlive, ownMark } from '../../../../../agent/adapters/linux/processes.ts';

const LOOKS = 200;
const LEAST_BUFFER = 32_768;

it('to see that a process lives takes no buffer', () => {
  const own = ownMark();
  const before = process.memoryUsage().arrayBuffers;
  for (let index = 0; index < LOOKS; index += 1) expect(isAlive(own)).toBe(true);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(LEAST_BUFFER);
});
