import { generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { createSessionKeys, type SessionKeys } from '../../../../agent/server/session-keys.ts';

const jwk = { ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }), kid: 'k' };
const ANSWER = { status: 200, headers: {}, body: { keys: [jwk] } };

let uptime: number;
let asked: PromiseWithResolvers<typeof ANSWER>[];
let keys: SessionKeys;

beforeEach(() => {
  [uptime, asked] = [0, []];
  const request = (): Promise<typeof ANSWER> => {
    const next = Promise.withResolvers<typeof ANSWER>();
    asked.push(next);
    return next.promise;
  };
  keys = createSessionKeys({ request }, { now: () => 0, uptime: () => uptime });
});

const found = (kid = 'k'): Promise<boolean> => keys.find(kid).then((key) => key !== undefined);

describe('the keys of the cluster', () => {
  it('are asked for once by requests that come together', async () => {
    const all = [found(), found(), found()];
    uptime = 60_000;
    all.push(found());
    asked[0]?.resolve(ANSWER);
    expect(await Promise.all(all)).toEqual([true, true, true, true]);
    expect(asked).toHaveLength(1);
  });

  it('are asked for again a second after a failure, which all know until then', async () => {
    const all = [found(), found()];
    asked[0]?.reject(new Error('down'));
    for (const one of all) await expect(one).rejects.toThrow('down');
    uptime = 999;
    await expect(found()).rejects.toThrow('down');
    expect(asked).toHaveLength(1);
    uptime = 1000;
    const next = found();
    asked[1]?.resolve(ANSWER);
    expect(await next).toBe(true);
  });

  it('are not asked for by each token with an unknown key', async () => {
    const first = found();
    asked[0]?.resolve(ANSWER);
    expect(await first).toBe(true);
    expect(await found('other')).toBe(false);
    uptime = 10_000;
    const later = found('other');
    asked[1]?.resolve(ANSWER);
    expect([await later, await found()]).toEqual([false, true]);
    expect(asked).toHaveLength(2);
  });

  it('have the time that was asked for together', async () => {
    const [first, second] = [keys.refresh(), keys.refresh()];
    asked[0]?.resolve({ ...ANSWER, headers: { date: 'Fri, 02 Jan 2026 03:04:05 GMT' } });
    await second;
    expect(keys.now()).toBe(Date.UTC(2026, 0, 2, 3, 4, 5));
    await first;
  });
});
