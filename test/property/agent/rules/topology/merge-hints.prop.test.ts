import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ResourceHints, TopologyHint } from '../../../../../agent/rules/topology/hint.ts';
import {
  isBetterHint,
  type MergedHint,
  mergeHints,
} from '../../../../../agent/rules/topology/merge-hints.ts';
import { countOf, knownMask } from '../../../../../agent/rules/topology/numa-mask.ts';

const NODES = [0, 1, 2, 3];
const DISTANCES = [
  [10, 11, 20, 21],
  [11, 10, 21, 20],
  [20, 21, 10, 11],
  [21, 20, 11, 10],
];

const hint: fc.Arbitrary<TopologyHint> = fc.record(
  {
    affinity: fc.subarray(NODES, { minLength: 1 }).map(knownMask),
    isPreferred: fc.boolean(),
  },
  { requiredKeys: ['isPreferred'] },
);

const resources: fc.Arbitrary<ResourceHints> = fc.dictionary(
  fc.constantFrom('cpu', 'memory', 'hugepages-1Gi'),
  fc.array(hint, { maxLength: 4 }),
);

/** Each combination of one hint of each list, as the kubelet goes through them. */
const combinations = (lists: readonly (readonly TopologyHint[])[]): readonly (readonly TopologyHint[])[] =>
  lists.reduce<readonly (readonly TopologyHint[])[]>(
    (all, hints) => all.flatMap((start) => hints.map((next) => [...start, next])),
    [[]],
  );

const mergedOne = (combination: readonly TopologyHint[]): MergedHint => {
  const masks = combination.flatMap(({ affinity }) => (affinity === undefined ? [] : [affinity]));
  return {
    affinity: masks.reduce((all, mask) => all & mask, knownMask(NODES)),
    isPreferred: combination.every((one) => one.isPreferred) && masks.every((mask) => mask === masks[0]),
  };
};

const oneByOne = (lists: readonly (readonly TopologyHint[])[], isNear: boolean): MergedHint => {
  const numa = { nodes: NODES, ...(isNear && { distances: DISTANCES }) };
  const best = Math.max(
    0,
    ...lists.map((hints) => {
      const counts = hints.flatMap(({ affinity }) => (affinity === undefined ? [] : [countOf(affinity)]));
      return counts.length === 0 ? 0 : Math.min(...counts);
    }),
  );
  let found: MergedHint | undefined;
  for (const combination of combinations(lists)) {
    const candidate = mergedOne(combination);
    if (isBetterHint(numa, best, found, candidate)) found = candidate;
  }
  return found ?? { affinity: knownMask(NODES), isPreferred: false };
};

const listsOf = (providers: readonly ResourceHints[]): readonly (readonly TopologyHint[])[] =>
  providers.flatMap((one) =>
    Object.keys(one).length === 0
      ? [[{ isPreferred: true }]]
      : Object.values(one).map((hints = []) => (hints.length === 0 ? [{ isPreferred: false }] : hints)),
  );

test('joined combinations lead to the hint that all combinations one by one lead to', () => {
  fc.assert(
    fc.property(fc.array(resources, { maxLength: 3 }), fc.boolean(), (providers, isNear) => {
      const numa = { nodes: NODES, ...(isNear && { distances: DISTANCES }) };
      expect(mergeHints('best-effort', numa, providers).hint).toEqual(oneByOne(listsOf(providers), isNear));
    }),
  );
});
