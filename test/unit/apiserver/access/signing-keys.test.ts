import { describe, expect, it } from 'vitest';
import { createMemoryKeyUses } from '../../../../shared/adapters/memory/key-uses.ts';
import { createKeyUseRecorder } from '../../../../shared/apiserver/access/key-use-recorder.ts';
import type { KeyUse } from '../../../../shared/ports/outside/key-uses.ts';
import { createTestApi } from '../../../support/servers/api.ts';

const NOW = 1_700_000_000_000;
const MINUTE = 60_000;

const use = (given: Partial<KeyUse> = {}): KeyUse => ({
  kid: 'old',
  user: 'ann',
  lastUsedAt: NOW,
  expiresAt: NOW + 86_400_000,
  ...given,
});

const signingKeys = { current: async () => ({ kid: 'new', secret: new Uint8Array(32) }) };

const recording = () => {
  const recorded: KeyUse[] = [];
  const keyUses = {
    record: async (one: KeyUse): Promise<void> => {
      recorded.push(one);
    },
  };
  return { recorded, record: createKeyUseRecorder({ signingKeys, keyUses }) };
};

describe('the use of a signing key', () => {
  it('is not recorded for the key that signs', async () => {
    const { recorded, record } = recording();
    await record(use({ kid: 'new' }));
    expect(recorded).toEqual([]);
  });

  it('is recorded once in ten minutes for each user, despite steps of the clock', async () => {
    const { recorded, record } = recording();
    const instants = [0, MINUTE, 9 * MINUTE, 10 * MINUTE, -50 * MINUTE];
    for (const offset of instants) await record(use({ lastUsedAt: NOW + offset }));
    await record(use({ user: 'bob' }));
    expect(recorded.map(({ user, lastUsedAt }) => [user, lastUsedAt - NOW])).toEqual([
      ['ann', 0],
      ['ann', 10 * MINUTE],
      ['ann', -50 * MINUTE],
      ['bob', 0],
    ]);
  });

  it('never fails a request, and is recorded with the next one', async () => {
    let attempts = 0;
    const keyUses = {
      record: async (): Promise<void> => {
        attempts += 1;
        throw new Error('throttled');
      },
    };
    const record = createKeyUseRecorder({ signingKeys, keyUses });
    await record(use());
    await record(use());
    expect(attempts).toBe(2);
  });

  it('drops the oldest of too many users', async () => {
    const uses = createMemoryKeyUses();
    for (let n = 0; n <= 32_768; n += 1) await uses.record(use({ user: `u${n}` }));
    const users = (await uses.list('old', NOW, 40_000)).map(({ user }) => user);
    expect([users.length, users[0]]).toEqual([32_768, 'u1']);
  });
});

describe('GET of a SigningKey', () => {
  const path = (kid: string): string => `/apis/rollcall.dev/v1/signingkeys/${kid}`;

  it('shows whether it signs and who uses it, but not the key itself', async () => {
    const api = createTestApi();
    await api.keyUses.record({ ...use({ kid: 'k1' }), expiresAt: Date.parse('2100-01-01') });
    const { code, json } = await api.send('GET', path('k1'), { as: 'viewer' });
    expect([code, json]).toMatchObject([
      200,
      { kind: 'SigningKey', status: { signs: true, users: [{ name: 'ann' }] } },
    ]);
    expect(Object.keys((json as { status: object }).status)).toEqual(['signs', 'users']);
  });

  it('is refused for nodes, and 404 for an unknown key', async () => {
    const api = createTestApi();
    expect((await api.send('GET', path('k1'), { as: 'node:n1' })).code).toBe(403);
    expect((await api.send('GET', path('gone'), { as: 'admin' })).code).toBe(404);
  });
});
