import { expect, it } from 'vitest';
import { createLimitedLog } from '../../../../host/figures/limited-log.ts';

it('a repeated message is logged 20 times in ten seconds, then its further lines are counted', () => {
  const told: string[] = [];
  let now = 0;
  const tell = (message: string) => void told.push(message);
  const log = createLimitedLog({ info: tell, warn: tell, error: tell }, () => now);
  for (let index = 0; index < 1_000; index += 1) log.error('the request failed', { index });
  log.warn('something else');
  expect(told).toEqual([...Array(20).fill('the request failed'), 'something else']);
  now = 10_000;
  log.error('the request failed');
  expect(told.slice(-2)).toEqual([
    'the request failed: 980 more lines like this were left out',
    'the request failed',
  ]);
});
