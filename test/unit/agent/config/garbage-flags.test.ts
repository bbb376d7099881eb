import { expect, it } from 'vitest';
import { containerPolicy } from '../../../../agent/config/garbage-flags.ts';

const PER_CONTAINER = 'maximum-dead-containers-per-container';
const TOTAL = 'maximum-dead-containers';
const AGE = 'minimum-container-ttl-duration';

it('J-179: the flags about ended containers mean what they mean for a kubelet', () => {
  expect(containerPolicy({})).toEqual({ minAgeMs: 0, mostPerContainer: 1, most: -1 });
  expect(containerPolicy({ [PER_CONTAINER]: '3', [TOTAL]: '100', [AGE]: '1m30s' })).toEqual({
    minAgeMs: 90_000,
    mostPerContainer: 3,
    most: 100,
  });
});

it.each([
  [AGE, '-1s'],
  [AGE, 'soon'],
  [PER_CONTAINER, '1.5'],
  [TOTAL, ''],
])('J-179: --%s=%s is refused, and the answer names the flag', (flag, given) => {
  expect(containerPolicy({ [flag]: given })).toEqual({ error: expect.stringContaining(`--${flag}`) });
});
