import { beforeEach, expect, it } from 'vitest';
import { createPublishedVerifyingKeys } from '../../../../shared/adapters/secrets/published-keys.ts';
import type { PublicKeySet } from '../../../../shared/ports/outside/public-keys.ts';

let now: number;
let reads: number;
let stored: PublicKeySet | undefined;

const setOf = (...kids: readonly string[]): PublicKeySet => ({
  current: kids[0] ?? '',
  keys: Object.fromEntries(kids.map((kid) => [kid, `x-${kid}`])),
});

const createKeys = () =>
  createPublishedVerifyingKeys({
    clock: { now: () => now },
    publicKeys: {
      read: async () => {
        reads += 1;
        return stored;
      },
    },
  });

beforeEach(() => {
  now = 1_000_000;
  reads = 0;
  stored = setOf('k1');
});

it('are read once for many requests, and again after a minute', async () => {
  const keys = createKeys();
  expect([await keys.current(), await keys.find('k1')]).toEqual([{ kid: 'k1' }, { x: 'x-k1' }]);
  await Promise.all([keys.find('k1'), keys.find('k1')]);
  expect(reads).toBe(1);
  now += 60_000;
  stored = setOf('k2');
  expect(await keys.current()).toEqual({ kid: 'k2' });
  await expect(keys.find('k1')).rejects.toMatchObject({ code: 429 });
  expect(reads).toBe(2);
});

it('stay the same objects while nothing changes, so that verified tokens stay known', async () => {
  const keys = createKeys();
  const before = await keys.find('k1');
  now += 60_000;
  expect(await keys.find('k1')).toBe(before);
  expect(reads).toBe(2);
});

it('are read early for an id that is unknown: a key may have been published since', async () => {
  const keys = createKeys();
  await keys.find('k1');
  stored = setOf('k2', 'k1');
  now += 1_000;
  expect(await keys.find('k2')).toEqual({ x: 'x-k2' });
  expect(reads).toBe(2);
});

it('do not know an id that a read has not found, and ask to try again less than a second after a read', async () => {
  const keys = createKeys();
  await keys.find('k1');
  now += 999;
  await expect(keys.find('forged')).rejects.toMatchObject({ code: 429, details: { retryAfterSeconds: 1 } });
  now += 1;
  expect(await keys.find('forged')).toBeUndefined();
});

it('cost one read a second at most, however many ids are forged', async () => {
  const keys = createKeys();
  for (let request = 0; request < 1_000; request += 1) {
    await keys.find(`forged-${request}`).catch(() => undefined);
    now += 10;
  }
  expect(reads).toBeLessThanOrEqual(11);
});

it('ask to try again until the API has published them', async () => {
  stored = undefined;
  const keys = createKeys();
  await expect(keys.find('k1')).rejects.toMatchObject({ code: 503, details: { retryAfterSeconds: 1 } });
  stored = setOf('k1');
  now += 1_000;
  expect(await keys.find('k1')).toEqual({ x: 'x-k1' });
});
