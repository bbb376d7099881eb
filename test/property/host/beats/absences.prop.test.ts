import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Client, type Crashes, crashAgainAndAgain } from './crashing-host.ts';

const SECOND = 1_000;

/** A kubelet or an agent, a script with curl, and a kubelet whose Lease is valid for a minute. */
const AGENT: Client = { intervalMs: 10 * SECOND, retries: true, leaseSeconds: 40 };
const SCRIPT: Client = { intervalMs: 10 * SECOND, retries: false };
const SLOW: Client = { intervalMs: 15 * SECOND, retries: true, leaseSeconds: 60 };

const between = (least: number, most: number) => (chance: () => number) =>
  (least + chance() * (most - least)) * SECOND;

const nothing = { wrong: [], early: [], late: [], missed: [] };

describe('10,000 absences of a host at random instants (G-03, G-19)', () => {
  const seeds = { numRuns: 2 };
  const CASES: readonly [string, readonly Client[], Omit<Crashes, 'count'>][] = [
    [
      'that restarts each 30 s',
      [AGENT, SCRIPT, SLOW],
      { upMs: between(24, 29), downMs: between(1, 6), suspensions: 0.3 },
    ],
    [
      'that is here for some time and away for some time',
      [AGENT, SCRIPT, SLOW],
      { upMs: between(21, 90), downMs: between(0.3, 90), suspensions: 0.3 },
    ],
    [
      'that is suspended or killed often',
      [AGENT, SLOW],
      { upMs: between(2, 60), downMs: between(0.3, 60), suspensions: 0.3 },
    ],
    [
      'whose processes live for seconds',
      [AGENT],
      { upMs: between(7.5, 12), downMs: between(0.3, 12), suspensions: 0 },
    ],
  ];
  test.each(CASES)(
    '%s: no living node is found silent, and a dead one two beat intervals after its grace period and the return',
    async (_, kinds, times) => {
      const clients = [...kinds, ...kinds, ...kinds];
      await fc.assert(
        fc.asyncProperty(fc.integer(), async (seed) => {
          const { found, longestMs, ...wrong } = await crashAgainAndAgain(seed, clients, {
            count: 2_500,
            ...times,
          });
          expect(wrong).toEqual(nothing);
          expect(found).toBeGreaterThan(100);
          expect(longestMs).toBeLessThanOrEqual(35 * SECOND);
        }),
        seeds,
      );
    },
  );
});
