import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calmUntil, isCalm } from '../../../../shared/rules/nodes/calm.ts';
import { type CalmRule, runWorld } from './calm-model.ts';
import { aWorld } from './calm-worlds.ts';

const RULE: CalmRule = { until: calmUntil, isCalm };
/** A commit takes 12 s at most, and an index 3 s. */
const SLOW = 15_000;

/** How much later (ms) the latest decision comes. Infinity: one never comes. */
const latenessIn = (seed: number, rule: CalmRule): number => {
  const world = aWorld(seed, SLOW);
  const leavingOut = runWorld(world, rule);
  const late = [...runWorld(world)].flatMap(([key, instants]) =>
    instants.map((at, time) => (leavingOut.get(key)?.[time] ?? Number.POSITIVE_INFINITY) - at),
  );
  return Math.max(0, ...late);
};

const WRONG: Readonly<Record<string, CalmRule>> = {
  'changes are taken for seen at once': {
    ...RULE,
    until: (facts, config) => calmUntil({ ...facts, counterSince: Number.NEGATIVE_INFINITY }, config),
  },
  'changes are not looked for': {
    ...RULE,
    isCalm: (stored, _, beginsAt, now) => isCalm(stored, stored.counter ?? 0, beginsAt, now),
  },
  'the patience with nodes is forgotten': {
    ...RULE,
    until: (facts, config) => {
      const nodes = facts.nodes.map(({ watchFrom: _watchFrom, ...node }) => ({
        ...node,
        patienceEndsAt: Number.POSITIVE_INFINITY,
      }));
      return calmUntil({ ...facts, nodes }, config);
    },
  },
};

describe('passes that can find nothing (G-23)', () => {
  it('are left out without a decision that comes later', () => {
    const noneIsLater = fc.property(fc.integer(), (seed) => latenessIn(seed, RULE) === 0);
    fc.assert(noneIsLater, { numRuns: 1_500 });
  });

  it.each(Object.entries(WRONG))('would delay one if %s', (_, rule) => {
    const late = Array.from({ length: 300 }, (_seed, seed) => latenessIn(seed, rule)).filter((ms) => ms > 0);
    expect(late.length).toBeGreaterThan(10);
  });
});
