import { describe, expect, it } from 'vitest';
import { type HeldToken, renewalDueAt } from '../../../../shared/rules/relays/token-renewal.ts';

const HOUR = 3_600_000;

const held = (rest: Partial<HeldToken> = {}): HeldToken => ({ lifeMs: 24 * HOUR, failures: 0, ...rest });

describe('when a relay renews its token (J-320)', () => {
  it.each([
    ['when half of its time is over', held({ issuedAt: 5 * HOUR }), 17 * HOUR],
    ['at once if nobody knows how old it is', held(), Number.NEGATIVE_INFINITY],
    ['10 s after a failure', held({ failures: 1, failedAt: HOUR }), HOUR + 10_000],
    ['40 s after the third', held({ failures: 3, failedAt: HOUR }), HOUR + 40_000],
    ['5 min after many', held({ failures: 900, failedAt: HOUR }), HOUR + 300_000],
    [
      'not before half of its time because something failed',
      held({ issuedAt: HOUR, failures: 1, failedAt: HOUR }),
      13 * HOUR,
    ],
  ])('%s', (_name, token, at) => {
    expect(renewalDueAt(token)).toBe(at);
  });
});
