import { beforeEach, expect, it } from 'vitest';
import {
  createSecretsManagerSigningKeys,
  type SecretSource,
} from '../../../../shared/adapters/secrets/signing-keys.ts';

const keySet = (...kids: readonly string[]): string =>
  JSON.stringify({
    current: kids[0],
    keys: Object.fromEntries(kids.map((kid) => [kid, Buffer.alloc(32, kid).toString('base64url')])),
  });

let now: number;
let reads: number;
let answer: () => string;
const storedAt = new Date(500_000);

const createKeys = (given: Partial<SecretSource> = {}) => {
  const client = {
    send: async () => {
      reads += 1;
      return { SecretString: answer(), CreatedDate: storedAt };
    },
  };
  return createSecretsManagerSigningKeys({
    client: client as never,
    secretArn: 'arn',
    clock: { now: () => now },
    ...given,
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

it('knows a new key after a minute', async () => {
  const keys = createKeys();
  await keys.find('k1');
  answer = () => keySet('k2', 'k1');
  now += 59_999;
  expect(await keys.find('k2')).toBeUndefined();
  now += 1;
  expect(await keys.find('k2')).toBeDefined();
  expect(reads).toBe(2);
});

it('forgets removed keys after a minute', async () => {
  const keys = createKeys();
  await keys.find('k1');
  answer = () => keySet('k2');
  now += 60_000;
  expect(await keys.find('k1')).toBeUndefined();
});

it('reads again when the clock was set back', async () => {
  const keys = createKeys();
  await keys.find('k1');
  answer = () => keySet('k2');
  now -= 3_600_000;
  expect(await keys.find('k1')).toBeUndefined();
});

const throttle = (): void => {
  answer = () => {
    throw new Error('throttled');
  };
};

it('tries again a second after a failed read, and not for each request', async () => {
  const keys = createKeys();
  const good = answer;
  throttle();
  await expect(Promise.all([keys.find('k1'), keys.find('k1')])).rejects.toThrow('throttled');
  await expect(keys.find('k1')).rejects.toThrow('throttled');
  expect(reads).toBe(1);
  answer = good;
  now += 1_000;
  expect(await keys.find('k1')).toBeDefined();
});

it('keeps its keys for an hour if the secret cannot be read', async () => {
  const keys = createKeys();
  await keys.find('k1');
  throttle();
  now += 60_000;
  expect(await keys.find('forged')).toBeUndefined();
  expect(await keys.find('k1')).toBeDefined();
  now += 3_450_000;
  expect(await keys.find('k1')).toBeDefined();
  now += 100_000;
  await expect(keys.find('k1')).rejects.toThrow('throttled');
});

it('does not read the secret for forged key ids', async () => {
  const keys = createKeys();
  await keys.find('k1');
  for (let request = 0; request < 1_000; request += 1) {
    await keys.find(`forged-${request}`);
    now += 59;
  }
  expect(reads).toBe(1);
});

it('announces keys that are new before it uses them, once', async () => {
  const announced: [readonly string[], number][] = [];
  const keys = createKeys({
    onNewKeys: async ({ secrets }, at) => void announced.push([[...secrets.keys()], at]),
  });
  const before = await keys.find('k1');
  now += 60_000;
  expect(await keys.find('k1')).toBe(before);
  answer = () => keySet('k2', 'k1');
  now += 60_000;
  await keys.find('k1');
  expect(announced).toEqual([
    [['k1'], 500_000],
    [['k2', 'k1'], 500_000],
  ]);
});

it('signs with no key that it could not announce', async () => {
  let isThere = false;
  const onNewKeys = async () => (isThere ? undefined : Promise.reject(new Error('no table')));
  const keys = createKeys({ onNewKeys });
  await expect(keys.current()).rejects.toThrow('no table');
  isThere = true;
  now += 1_000;
  expect((await keys.current()).kid).toBe('k1');
});
