import { describe, expect, it } from 'vitest';
import { authenticate, issueToken } from '../../../shared/apiserver/authentication.ts';
import type { TokenPayload } from '../../../shared/apiserver/token-user.ts';
import { createVerifiedTokens } from '../../../shared/apiserver/verified-tokens.ts';

const NOW = 1_700_000_000_000;
const secretOf = (byte: number) => new Uint8Array(32).fill(byte);

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
  it('is the same user again', async () => {
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

  it('is refused once its key is gone, and checked anew by another key of that name', async () => {
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

  it('does not vouch for one that differs in a letter', async () => {
    const { authority } = anAuthority();
    const token = await issueToken(authority, CLAIMS);
    await authenticate(`Bearer ${token}`, authority, NOW);
    const forged = `${token.slice(0, -3)}${token.endsWith('AAA') ? 'BBB' : 'AAA'}`;
    await expect(authenticate(`Bearer ${forged}`, authority, NOW)).rejects.toThrow(/Unauthorized/);
  });
});
