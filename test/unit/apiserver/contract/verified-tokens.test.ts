import { describe, expect, it } from 'vitest';
import { authenticate, issueToken } from '../../../../shared/apiserver/access/authentication.ts';
import type { TokenPayload } from '../../../../shared/apiserver/contract/token-user.ts';
import { createVerifiedTokens } from '../../../../shared/apiserver/contract/verified-tokens.ts';

const NOW = 1_700_000_000_000;
const secretOf = (byte: number) => new Uint8Array(32).fill(byte);
const SECRET = secretOf(1);

const anAuthority = () => {
  const secrets = new Map([['k1', secretOf(1)]]);
  const signingKeys = {
    current: async () => ({ kid: 'k1', secret: secretOf(1) }),
    find: async (kid: string) => secrets.get(kid),
  };
  return {
    secrets,
    authority: { signingKeys, clusterId: 'rollcall', verified: createVerifiedTokens<TokenPayload>() },
  };
};

const CLAIMS = { name: 'system:node:n1', groups: ['system:nodes'], issuedAt: NOW, expiresAt: NOW + 60_000 };

describe('a token that was verified before', () => {
  it('has the same user again', async () => {
    const { authority } = anAuthority();
    const header = `Bearer ${await issueToken(authority, CLAIMS)}`;
    const first = await authenticate(header, authority, NOW);
    expect(await authenticate(header, authority, NOW + 59_000)).toEqual(first);
  });

  it('is refused once it has expired', async () => {
    const { authority } = anAuthority();
    const header = `Bearer ${await issueToken(authority, CLAIMS)}`;
    await authenticate(header, authority, NOW);
    await expect(authenticate(header, authority, NOW + 60_000)).rejects.toThrow(/expired at/);
  });

  it('is refused once its key is removed, and verified again with another key of the same id', async () => {
    const { authority, secrets } = anAuthority();
    const header = `Bearer ${await issueToken(authority, CLAIMS)}`;
    await authenticate(header, authority, NOW);
    secrets.set('k1', secretOf(2));
    await expect(authenticate(header, authority, NOW)).rejects.toThrow(/signature is wrong/);
    secrets.delete('k1');
    await expect(authenticate(header, authority, NOW)).rejects.toThrow(
      /a key that this cluster does not have/,
    );
  });

  it('does not make a token valid that differs in one character', async () => {
    const { authority } = anAuthority();
    const token = await issueToken(authority, CLAIMS);
    await authenticate(`Bearer ${token}`, authority, NOW);
    const forged = `${token.slice(0, -3)}${token.endsWith('AAA') ? 'BBB' : 'AAA'}`;
    await expect(authenticate(`Bearer ${forged}`, authority, NOW)).rejects.toThrow(/Unauthorized/);
  });
});

describe('the cached tokens', () => {
  const keys = { current: async () => ({ kid: 'k1', secret: SECRET }), find: async () => SECRET };
  const payload = { exp: NOW / 1000 + 60 };
  const remembering = (count: number, length: number) => {
    const verified = createVerifiedTokens<TokenPayload>();
    for (let index = 0; index < count; index += 1)
      verified.remember(String(index).padStart(length, '-'), { kid: 'k1', key: SECRET, payload });
    return verified;
  };

  it('are bounded in number', () => {
    expect(remembering(40_000, 10).size()).toEqual({ tokens: 32_768, characters: 327_680 });
  });

  it('are bounded in size', () => {
    const { tokens, characters } = remembering(5_000, 8_192).size();
    expect(characters).toBeLessThanOrEqual(16_777_216);
    expect(tokens).toBe(2_048);
  });

  it('are the most recently used ones', async () => {
    const verified = remembering(32_768, 10);
    await verified.find('0'.padStart(10, '-'), keys, NOW);
    verified.remember('one more', { kid: 'k1', key: SECRET, payload });
    expect(await verified.find('0'.padStart(10, '-'), keys, NOW)).toMatchObject({ payload });
    expect(await verified.find('1'.padStart(10, '-'), keys, NOW)).toBeUndefined();
  });

  it('are one for all spellings of a token', async () => {
    const { authority } = anAuthority();
    const token = await issueToken(authority, CLAIMS);
    await authenticate(`Bearer ${token}`, authority, NOW);
    for (const spelling of [`${token}=`, `${token.slice(0, -4)}\t${token.slice(-4)}`, `${token}==`])
      await expect(authenticate(`Bearer ${spelling}`, authority, NOW)).rejects.toMatchObject({ code: 401 });
    expect(authority.verified.size().tokens).toBe(1);
  });
});

describe('tokens that were verified before the clock was set forward', () => {
  const YEAR = 365 * 86_400_000;
  const HOUR = 3_600_000;
  const signingKeys = {
    current: async () => ({ kid: 'k1', secret: SECRET }),
    find: async () => SECRET,
  };
  const remembered = (expiresAt: number) => {
    const verified = createVerifiedTokens<TokenPayload>();
    verified.remember('t', { kid: 'k1', key: SECRET, payload: { exp: expiresAt / 1000 } });
    return verified;
  };

  it.each([
    ['that had an hour have an hour', NOW + HOUR, HOUR],
    ['that had a month have a day', NOW + 30 * 24 * HOUR, 24 * HOUR],
    ['that had expired stay expired', NOW, 0],
  ])('%s', async (_name, expiresAt, leftMs) => {
    const verified = remembered(expiresAt);
    const after = NOW + YEAR;
    verified.prolong(YEAR, after);
    const isFound = async (at: number) => (await verified.find('t', signingKeys, at)) !== undefined;
    expect(await isFound(after + leftMs - 1_000)).toBe(leftMs > 0);
    expect(await isFound(after + leftMs)).toBe(false);
  });

  it('keep their own expiry if the step is smaller', async () => {
    const verified = remembered(NOW + 30 * 24 * HOUR);
    verified.prolong(HOUR, NOW + HOUR);
    expect(await verified.find('t', signingKeys, NOW + 29 * 24 * HOUR)).toBeDefined();
    expect(await verified.find('t', signingKeys, NOW + 30 * 24 * HOUR)).toBeUndefined();
  });
});
