import { beforeEach, expect, it } from 'vitest';
import { createSecretsManagerSigningKeys } from '../../../shared/adapters/secrets/signing-keys.ts';

const keySet = (...kids: readonly string[]): string =>
  JSON.stringify({
    current: kids[0],
    keys: Object.fromEntries(kids.map((kid) => [kid, Buffer.alloc(32, kid).toString('base64url')])),
  });

let now: number;
let reads: number;
let answer: () => string;

const createKeys = () => {
  const client = {
    send: async () => {
      reads += 1;
      return { SecretString: answer() };
    },
  };
  return createSecretsManagerSigningKeys({
    client: client as never,
    secretArn: 'arn',
    clock: { now: () => now },
  });
};

beforeEach(() => {
  now = 1_000_000;
  reads = 0;
  answer = () => keySet('k1');
});

it('reads the secret once for many requests', async () => {
  const keys = createKeys();
  await Promise.all([keys.find('k1'), keys.find('k1'), keys.current()]);
  expect(reads).toBe(1);
  expect((await keys.current()).kid).toBe('k1');
});

it('reads again for an unknown key, every ten seconds at most', async () => {
  const keys = createKeys();
  await keys.find('k1');
  answer = () => keySet('k2', 'k1');
  expect(await keys.find('k2')).toBeUndefined();
  now += 10_000;
  expect(await keys.find('k2')).toBeDefined();
  expect(await keys.find('k3')).toBeUndefined();
  expect(reads).toBe(2);
});

it('forgets removed keys after five minutes', async () => {
  const keys = createKeys();
  await keys.find('k1');
  answer = () => keySet('k2');
  now += 300_000;
  expect(await keys.find('k1')).toBeUndefined();
});

it('tries again after a failed read', async () => {
  const keys = createKeys();
  const good = answer;
  answer = () => {
    throw new Error('throttled');
  };
  await expect(keys.find('k1')).rejects.toThrow('throttled');
  answer = good;
  expect(await keys.find('k1')).toBeDefined();
});
