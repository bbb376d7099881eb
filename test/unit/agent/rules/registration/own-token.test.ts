import { describe, expect, it } from 'vitest';
import { renewToken } from '../../../../../agent/program/renew-token.ts';
import {
  issuerOf,
  meaningOf,
  type OwnToken,
  parseOwnToken,
  untilRenewalMs,
} from '../../../../../agent/rules/registration/own-token.ts';
import { createVirtualClock } from '../../../../../shared/adapters/memory/virtual-clock.ts';

const tokenWith = (claims: object): string =>
  `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`;
const HOUR = 3_600_000;
const TOKEN: OwnToken = {
  token: 't0',
  nodeName: 'n1',
  nodeUid: 'u1',
  clusterId: 'c1',
  lifeMs: 24 * HOUR,
  since: { bootId: 'b1', uptimeMs: HOUR },
};

describe('a token of a node', () => {
  it.each([
    ['is renewed when half of its time is over', 'b1', HOUR, 12 * HOUR],
    ['by the time since the machine was started', 'b1', 12 * HOUR, HOUR],
    ['at once when that is over', 'b1', 20 * HOUR, 0],
    ['at once after the machine was started again', 'b2', HOUR, 0],
    ['at once if the machine does not tell when it was started', '', HOUR, 0],
    ['at once if it is from the future', 'b1', 0, 0],
  ])('%s', (_what, bootId, uptimeMs, expected) => {
    const token = bootId === '' ? { ...TOKEN, since: { bootId, uptimeMs: HOUR } } : TOKEN;
    expect(untilRenewalMs(token, { bootId, uptimeMs })).toBe(expected);
  });

  it('is read as it was stored, and nothing else is', () => {
    expect(parseOwnToken(JSON.stringify(TOKEN))).toEqual(TOKEN);
    for (const text of ['', '{', 'null', '{}', JSON.stringify({ ...TOKEN, since: {} })])
      expect(parseOwnToken(text)).toBeUndefined();
  });

  it.each([
    ['of another cluster', { iss: 'c2', iat: 5 }, 'other'],
    ['made after its own', { iss: 'c1', iat: 11 }, 'again'],
    ['made before its own', { iss: 'c1', iat: 9 }, 'nothing'],
    ['that says nothing', {}, 'nothing'],
  ])('counts for a machine with a bootstrap token %s', (_which, claims, meaning) => {
    const own = { ...TOKEN, token: tokenWith({ iss: 'c1', iat: 10 }) };
    expect(meaningOf(tokenWith(claims), own)).toBe(meaning);
  });

  it('names the cluster that has issued it', () => {
    expect(issuerOf(tokenWith({ iss: 'c-ü' }))).toBe('c-ü');
    expect(issuerOf('no token')).toBeUndefined();
  });
});

describe('renewing the token', () => {
  const renewing = async (failures: number, hours: number) => {
    const time = createVirtualClock(0);
    const stop = new AbortController();
    const stored: [number, string][] = [];
    let current: OwnToken = { ...TOKEN, since: { bootId: 'b1', uptimeMs: 0 } };
    let asked = 0;
    const work = renewToken(
      {
        tokens: { store: async ({ token }) => void stored.push([time.now() / HOUR, token]) },
        current: () => current,
        replace: (token) => {
          current = token;
        },
        issue: async () => {
          asked += 1;
          if (asked <= failures) throw new Error('refused');
          return { token: `t${asked}`, nodeUid: 'u1', clusterId: 'c1' };
        },
        lifeMs: 24 * HOUR,
        machineTime: () => ({ bootId: 'b1', uptimeMs: time.now() }),
        clock: time,
        log: () => undefined,
      },
      stop.signal,
    );
    const end = time.sleep(hours * HOUR).then(() => stop.abort());
    await time.run(Promise.all([work, end]));
    return { stored, current };
  };

  it('stores each new one, every twelve hours', async () => {
    const { stored, current } = await renewing(0, 25);
    expect(stored).toEqual([
      [12, 't1'],
      [24, 't2'],
    ]);
    expect(current.token).toBe('t2');
  });

  it('tries again every ten seconds', async () => {
    expect((await renewing(6, 13)).stored).toEqual([[12 + 60 / 3600, 't7']]);
  });
});
