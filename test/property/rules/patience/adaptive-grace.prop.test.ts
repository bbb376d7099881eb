// Grace periods that adapt, over random losses: of living nodes, by the monitor's own functions.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judge } from '../../../../lambdas/node-monitor/judge/judgement.ts';
import { graceOf } from '../../../../shared/rules/nodes/node-health.ts';
import { learnedGraceMs, rangeFor } from '../../../../shared/rules/patience/adaptive-grace.ts';
import { type JudgedPass, type LossyZone, runLossyZone } from '../../../support/planes/lossy-zone.ts';

/** A silence that would lengthen the grace period by less is not stored; instants are rounded. */
const HARDLY_MS = 2_002;
/** A silence is settled when no other can end together with it, by the next pass. */
const SETTLED_MS = 30_000 + 5_000;
const HOUR = 3_600_000;

const zones: fc.Arbitrary<LossyZone> = fc
  .record({
    nodes: fc.integer({ min: 1, max: 6 }),
    areTogether: fc.boolean(),
    areYoung: fc.boolean(),
    hours: fc.constant(3),
    loss: fc.double({ min: 0, max: 0.4, noNaN: true }),
    outageMs: fc.integer({ min: 0, max: 90_000 }),
    seed: fc.integer({ min: 0, max: 1_000_000 }),
    periodMs: fc.constantFrom(1_000, 5_000),
    floorSeconds: fc.integer({ min: 10, max: 90 }),
    moreSeconds: fc.integer({ min: 0, max: 300 }),
  })
  .map(({ floorSeconds, moreSeconds, ...zone }) => ({
    ...zone,
    spec: { adaptiveGrace: { floorSeconds, ceilingSeconds: floorSeconds + moreSeconds } },
  }));

/** The silences that nodes have ended, as the passes have seen them. */
const createWitness = () => {
  const last = new Map<string, { beatAt: number; silentMs: number; endedAt: number }>();
  return (uid: string, beatAt: number) => {
    const before = last.get(uid);
    if (before?.beatAt !== beatAt) {
      const ended = before
        ? { silentMs: beatAt - before.beatAt, endedAt: beatAt }
        : { silentMs: 0, endedAt: 0 };
      last.set(uid, { beatAt, ...ended });
    }
    return before?.beatAt === beatAt ? before : last.get(uid);
  };
};

const rangeOf = ({ spec }: LossyZone) => {
  const { floorSeconds = 0, ceilingSeconds = 0 } = spec.adaptiveGrace ?? {};
  return rangeFor({ floorMs: floorSeconds * 1000, ceilingMs: ceilingSeconds * 1000 }, 10_000);
};

/** What each pass has judged of each node: its grace period, and when it was last heard. */
const eachGrace = (
  { now, judged, beats, view }: JudgedPass,
  see: (uid: string, graceMs: number, beatAt: number, row: JudgedPass['judged'][number]['row']) => void,
): void => {
  for (const [place, { row }] of judged.entries()) {
    const own = beats[place];
    const graceMs = graceOf(row, own, view.hearing, now, view.settings.node(row.zone, undefined));
    see(row.uid, graceMs, own?.plainAt ?? 0, row);
  }
};

describe('a grace period that adapts', () => {
  it('is never above its ceiling, nor below what the last survived silence of a node by itself demands (V-80, V-81)', async () => {
    let lengthened = 0;
    const keeps = async (zone: LossyZone): Promise<void> => {
      const range = rangeOf(zone);
      const witness = createWitness();
      await runLossyZone({ ...zone, areTogether: false }, (pass) => {
        eachGrace(pass, (uid, graceMs, beatAt) => {
          const seen = witness(uid, beatAt);
          expect(graceMs).toBeLessThanOrEqual(range.ceilingMs);
          if (graceMs > range.floorMs) lengthened += 1;
          if (!seen || pass.now - seen.endedAt < SETTLED_MS) return;
          const demanded = learnedGraceMs(
            range,
            { silentMs: seen.silentMs, learnedAt: seen.endedAt },
            beatAt,
          );
          expect(graceMs).toBeGreaterThanOrEqual(demanded - HARDLY_MS);
        });
      });
    };
    await fc.assert(fc.asyncProperty(zones, keeps), { numRuns: 20 });
    expect(lengthened).toBeGreaterThan(30_000);
  });

  it('is not shorter in the next pass but for what a day halves, once a node is an hour old (V-83)', async () => {
    const keeps = async (zone: LossyZone): Promise<void> => {
      const last = new Map<string, { graceMs: number; beatAt: number }>();
      await runLossyZone(zone, (pass) => {
        eachGrace(pass, (uid, graceMs, beatAt, { createdAt }) => {
          const before = last.get(uid);
          const isBirthday = before && before.beatAt - createdAt < HOUR && beatAt - createdAt >= HOUR;
          if (before && !isBirthday) {
            const share = 0.5 ** ((beatAt - before.beatAt) / (24 * HOUR));
            expect(graceMs).toBeGreaterThanOrEqual((before.graceMs - 10_000) * share + 10_000 - 2);
          }
          if (before?.beatAt === beatAt) expect(graceMs).toBeGreaterThanOrEqual(before.graceMs);
          last.set(uid, { graceMs, beatAt });
        });
      });
    };
    await fc.assert(fc.asyncProperty(zones, keeps), { numRuns: 15 });
  });

  it('changes no judgement where no policy asks for it, whatever is stored (V-80)', async () => {
    const keeps = async (zone: LossyZone, silentMs: number): Promise<void> => {
      const fixed = { ...zone, spec: { nodeMonitorGracePeriodSeconds: 40 } };
      const { writes } = await runLossyZone(fixed, ({ now, judged, beats, view }) => {
        for (const [place, judgement] of judged.entries()) {
          const given = { hasLease: false, ...beats[place], patience: { silentMs, learnedAt: now } };
          expect(judge(judgement.row, given, view, undefined)).toEqual(judgement);
        }
      });
      expect(writes).toBe(0);
    };
    await fc.assert(fc.asyncProperty(zones, fc.integer({ min: 0, max: 900_000 }), keeps), { numRuns: 5 });
  });
});
