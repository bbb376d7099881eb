import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BAD_DAY, NO_FAULTS } from '../../../../shared/adapters/hostile/process.ts';
import type { LifecyclePolicySpec } from '../../../../shared/kube/types/lifecycle-policy.ts';
import { oneOf } from '../../../support/faults/one-of.ts';
import type { BadDay } from '../../../support/planes/bad-day.ts';
import { createBadDay, unexplained } from '../../../support/planes/bad-day.ts';
import * as fleet from '../../../support/planes/fleet.ts';

const ZONES = ['a', 'b', 'c'] as const;
const PER_ZONE = 8;
const RATES = [0, 0.05, 0.1, 0.2, 0.5] as const;
const GRACES = [10, 20, 40, 90] as const;
/** The rate and grace of the configuration, which hold where no policy says otherwise. */
const [OWN_RATE, OWN_GRACE_MS] = [0.1, 40_000];

type Chance = BadDay['chance'];

const randomSpec = (chance: Chance): LifecyclePolicySpec => {
  const isOfNodes = chance.hit(0.4);
  return {
    ...(chance.hit(0.8) ? { zones: [oneOf(chance, ZONES)] } : {}),
    ...(isOfNodes ? { nodeSelector: { matchLabels: { pool: oneOf(chance, ['x', 'y']) } } } : {}),
    ...(chance.hit(0.7) ? { nodeMonitorGracePeriodSeconds: oneOf(chance, GRACES) } : {}),
    ...(chance.hit(0.5) ? { flapDamping: { losses: 2, withinSeconds: 300, stableSeconds: 30 } } : {}),
    ...(chance.hit(0.3) ? { drainBeforeLost: { notReadySeconds: 10 } } : {}),
    ...(isOfNodes
      ? {}
      : {
          ...(chance.hit(0.6) ? { nodeEvictionRate: oneOf(chance, RATES) } : {}),
          ...(chance.hit(0.4) ? { unhealthyZoneThreshold: oneOf(chance, [0.2, 0.55, 1]) } : {}),
          ...(chance.hit(0.5) ? { fullDisruption: oneOf(chance, ['Evict', 'Reduce', 'Hold'] as const) } : {}),
          ...(chance.hit(0.3) ? { pacedNotReadyRate: 0.2 } : {}),
        }),
  };
};

/** Writes policies, changes and deletes them, and relabels nodes: ties are possible, as in a race of two writes. */
const legislate = async ({ plane, chance }: BadDay, said: LifecyclePolicySpec[]): Promise<void> => {
  const own = chance.fork();
  for (;;) {
    const name = `p${Math.floor(own.upTo(4))}`;
    if (own.hit(0.25)) await fleet.removePolicy(plane, name);
    else {
      const spec = randomSpec(own);
      said.push(spec);
      await fleet.setPolicy(plane, name, spec);
    }
    const node = `${oneOf(own, ZONES)}${Math.floor(own.upTo(PER_ZONE))}`;
    const pool = oneOf(own, ['x', 'y']);
    await fleet.changeNode(plane, node, ({ metadata, ...others }) => ({
      ...others,
      metadata: { ...metadata, labels: { ...metadata.labels, pool } },
    }));
    await plane.clock.sleep(own.upTo(25_000));
  }
};

/** Nodes beat for a while and are silent for a while; each stored beat is noted. */
const beatNowAndThen = async ({ beating, chance }: BadDay, node: string, beats: number[]): Promise<void> => {
  const own = chance.fork();
  for (;;) {
    for (let left = Math.ceil(own.upTo(8)); left > 0; left -= 1) {
      await fleet.beat(beating, node, 'plain');
      beats.push(beating.clock.now());
      await beating.clock.sleep(2_000 + own.upTo(6_000));
    }
    await beating.clock.sleep(own.upTo(120_000));
  }
};

const live = async (seed: number, faults: Parameters<typeof createBadDay>[1]) => {
  const day = createBadDay(seed, faults);
  const { plane } = day;
  const said: LifecyclePolicySpec[] = [];
  const beats = new Map<string, number[]>();
  for (const zone of ZONES)
    for (let index = 0; index < PER_ZONE; index += 1) {
      const name = `${zone}${index}`;
      // Direct nodes: a beat makes them ready again.
      await fleet.addNode(plane, name, { zone });
      const own: number[] = [];
      beats.set(name, own);
      void beatNowAndThen(day, name, own);
    }
  void legislate(day, said);
  await plane.run(300_000);
  return { day, said, beats };
};

const flipsOf = ({ plane }: BadDay): readonly { readonly node: string; readonly at: number }[] =>
  plane.commits.flatMap(({ at, change: { before, after } }) => {
    const was = before?.state === 'live' ? before.facts.node?.ready : undefined;
    const is = after?.state === 'live' ? after.facts.node?.ready : undefined;
    return was === 'True' && is === 'Unknown' && after ? [{ node: after.key.name, at }] : [];
  });

const gapsOf = (instants: readonly number[]): readonly number[] =>
  instants
    .toSorted((a, b) => a - b)
    .map((at, index, all) => at - (all[index - 1] ?? Number.NEGATIVE_INFINITY));

describe('policies that change all the time', () => {
  it.each([
    ['without faults', NO_FAULTS],
    ['on a bad day', { ...BAD_DAY, clockSkewMs: 0 }],
  ] as const)(
    'never let a zone taint faster, or a node be silent for less, than any of them says, %s (I-01, I-09)',
    async (_, faults) => {
      let [flips, tokens] = [0, 0];
      await fc.assert(
        fc.asyncProperty(fc.integer(), async (seed) => {
          const { day, said, beats } = await live(seed, faults);
          for (const zone of ZONES) {
            const own = said.filter(({ zones }) => zones?.includes(zone) ?? true);
            const rate = Math.max(OWN_RATE, ...own.map(({ nodeEvictionRate = 0 }) => nodeEvictionRate));
            const taken = day.tokens.filter((token) => token.zone === zone).map(({ at }) => at);
            for (const gap of gapsOf(taken)) expect(gap).toBeGreaterThanOrEqual(1000 / rate);
            const graces = own.map(({ nodeMonitorGracePeriodSeconds: seconds = 40 }) => seconds * 1000);
            const graceMs = Math.min(OWN_GRACE_MS, ...graces);
            for (const { node, at } of flipsOf(day).filter((flip) => flip.node.startsWith(zone))) {
              const last = Math.max(0, ...(beats.get(node) ?? []).filter((beat) => beat < at));
              expect(at - last).toBeGreaterThan(graceMs);
              flips += 1;
            }
            tokens += taken.length;
          }
          expect(unexplained(day.plane.failures)).toEqual([]);
        }),
        { numRuns: 15 },
      );
      expect(Math.min(flips, tokens)).toBeGreaterThan(20);
    },
  );

  it('settle: once nobody changes them, each status says what holds, and no older one is in its way (Z-24, Z-36)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const day = createBadDay(seed, BAD_DAY);
        const { plane, chance } = day;
        for (const zone of ZONES) await fleet.addNode(plane, `${zone}0`, { zone, ready: 'True' });
        fleet.keepBeating(plane, new Set(ZONES.map((zone) => `${zone}0`)));
        for (let index = 0; index < 3; index += 1)
          await fleet.setPolicy(plane, `p${index}`, randomSpec(chance));
        await plane.run(60_000);
        day.calm();
        await plane.run(40_000);
        for (let index = 0; index < 3; index += 1) {
          const { status } = (await fleet.policyOf(plane, `p${index}`)) ?? {};
          const [accepted, conflicted] = status?.conditions ?? [];
          expect([accepted?.type, conflicted?.type]).toEqual(['Accepted', 'Conflicted']);
          expect(accepted?.status).not.toBe(conflicted?.status);
        }
      }),
      { numRuns: 10 },
    );
  });
});

it('in a disrupted zone that is paced no more nodes become Unknown than the pace allows (Z-34)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.constantFrom(0.05, 0.2, 1), async (seed, rate) => {
      const day = createBadDay(seed, NO_FAULTS);
      const { plane, chance } = day;
      const alive = new Set<string>();
      for (let index = 0; index < 20; index += 1) {
        await fleet.addNode(plane, `a${index}`, { zone: 'a', ready: 'True' });
        alive.add(`a${index}`);
      }
      fleet.keepBeating(plane, alive);
      await fleet.setPolicy(plane, 'paced', { pacedNotReadyRate: rate, unhealthyZoneThreshold: 0.15 });
      await plane.run(25_000);
      // Three at once disrupt the zone; the others follow at random.
      const names = [...alive];
      for (const name of names.splice(0, 3)) alive.delete(name);
      void (async () => {
        for (const name of names) {
          await plane.clock.sleep(chance.upTo(6_000));
          alive.delete(name);
        }
      })();
      await plane.run(200_000);
      const instants = flipsOf(day).map(({ at }) => at);
      for (const [index, from] of instants.entries())
        for (const [later, to] of instants.entries()) {
          if (later <= index) continue;
          expect(later - index).toBeLessThanOrEqual(Math.max(1, 5 * rate) + (rate * (to - from)) / 1000);
        }
    }),
    { numRuns: 12 },
  );
});
