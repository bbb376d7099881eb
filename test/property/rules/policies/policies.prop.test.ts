import fc from 'fast-check';
import { expect, it } from 'vitest';
import { selects } from '../../../../shared/kube/selector/object-selector.ts';
import { selectorsOverlap } from '../../../../shared/kube/selector/selectors-overlap.ts';
import type { LifecyclePolicySpec } from '../../../../shared/kube/types/lifecycle-policy.ts';
import type { LabelSelector } from '../../../../shared/kube/types/meta.ts';
import { lifecycleSettings, selectsNode } from '../../../../shared/rules/nodes/policy-settings.ts';
import { heldPolicies, specificityOf, tieOf } from '../../../../shared/rules/policies/policy-order.ts';
import { NODE_LIFECYCLE_DEFAULTS as config } from '../../../../shared/settings/node-lifecycle.ts';
import { aPolicy } from '../../../support/objects/policies.ts';

const KEYS = ['a', 'b'] as const;
const VALUES = ['x', 'y', 'z'] as const;

const value = fc.constantFrom(...VALUES);
const requirement = fc.oneof(
  fc.record({
    key: fc.constantFrom(...KEYS),
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.uniqueArray(value, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ key: fc.constantFrom(...KEYS), operator: fc.constantFrom('Exists', 'DoesNotExist') }),
);
const selector: fc.Arbitrary<LabelSelector> = fc.record({
  matchLabels: fc.dictionary(fc.constantFrom(...KEYS), value, { maxKeys: 1, noNullPrototype: true }),
  matchExpressions: fc.array(requirement, { maxLength: 3 }),
});

/** All labels that matter: each key is absent, has one of the values, or another one. */
const LABELS = [undefined, ...VALUES, 'other'].flatMap((a) =>
  [undefined, ...VALUES, 'other'].map((b) =>
    Object.fromEntries(Object.entries({ a, b }).filter(([, one]) => one !== undefined)),
  ),
) as readonly Readonly<Record<string, string>>[];

it('two selectors overlap exactly if some labels are selected by both (Z-22)', () => {
  fc.assert(
    fc.property(selector, selector, (one, two) => {
      const isMet = LABELS.some((labels) => selects(one, labels) && selects(two, labels));
      expect(selectorsOverlap(one, two)).toBe(isMet);
    }),
    { numRuns: 1_000 },
  );
});

const spec: fc.Arbitrary<LifecyclePolicySpec> = fc.record(
  {
    zones: fc.uniqueArray(fc.constantFrom('a', 'b', 'c')),
    nodeSelector: selector,
    priority: fc.integer({ min: 0, max: 1 }),
    nodeMonitorGracePeriodSeconds: fc.integer({ min: 10, max: 100 }),
  },
  { requiredKeys: [] },
);
const policies = fc
  .array(fc.tuple(spec, fc.integer({ min: 0, max: 3 })), { maxLength: 6 })
  .map((list) =>
    list.map(([one, second], index) => aPolicy(`p${index}`, one, `2026-03-01T12:00:0${second}Z`)),
  );

it('of policies in any order the same ones hold, no two of which tie (Z-23, Z-24)', () => {
  fc.assert(
    fc.property(policies, fc.integer(), (list, turn) => {
      const { accepted, conflicts } = heldPolicies(list);
      for (const policy of accepted) expect(tieOf(policy, accepted)).toBeUndefined();
      expect(accepted.length + conflicts.size).toBe(list.length);
      const turned = list
        .map((_, index) => list[(index + Math.abs(turn)) % list.length])
        .filter((one) => one !== undefined);
      expect(heldPolicies(turned)).toEqual({ accepted, conflicts });
    }),
  );
});

it('a node has each field of one policy that selects it, and of no less specific one (Z-20, Z-21)', () => {
  fc.assert(
    fc.property(
      policies,
      fc.constantFrom('a', 'b', 'd'),
      fc.constantFrom(...LABELS),
      (list, zone, labels) => {
        const { accepted } = heldPolicies(list);
        const graceMs = lifecycleSettings(accepted, config).node(
          `:\0:${zone}`,
          labels,
        ).nodeMonitorGracePeriodMs;
        const setting = accepted.filter(
          ({ spec: one = {} }) =>
            selectsNode(one, zone, labels) && one.nodeMonitorGracePeriodSeconds !== undefined,
        );
        const rank = ({ spec: one = {} }: (typeof accepted)[number]): number =>
          specificityOf(one) * 10 + (one.priority ?? 0);
        const best = setting.toSorted((a, b) => rank(b) - rank(a))[0];
        expect(graceMs).toBe((best?.spec?.nodeMonitorGracePeriodSeconds ?? 40) * 1000);
      },
    ),
  );
});
