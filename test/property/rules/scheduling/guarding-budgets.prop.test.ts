/** The budgets that are found by the labels of a pod are those that a look at each budget finds. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isEmptySelector } from '../../../../shared/kube/selector/object-selector.ts';
import type { PodDisruptionBudget } from '../../../../shared/kube/types/policy.ts';
import { coversPod } from '../../../../shared/rules/budgets/disruption-budget.ts';
import { guardingBudgets } from '../../../../shared/rules/scheduling/guarding-budgets.ts';
import { placedPod } from '../../../support/scheduling/scheduling-objects.ts';

const namespace = fc.constantFrom('a', 'b');
const labels = fc.record(
  { app: fc.constantFrom('1', '2'), tier: fc.constantFrom('1', '2') },
  { requiredKeys: [] },
);
const expression = fc.record({
  key: fc.constantFrom('app', 'tier'),
  operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'),
  values: fc.constant(['1']),
});
const selector = fc.record(
  { matchLabels: labels, matchExpressions: fc.array(expression, { maxLength: 2 }) },
  { requiredKeys: [] },
);
const budget = fc.record({ namespace, selector, isDisrupting: fc.boolean() }).map(
  (one): PodDisruptionBudget => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'b', namespace: one.namespace },
    spec: { selector: one.selector },
    status: {
      disruptionsAllowed: 0,
      currentHealthy: 0,
      desiredHealthy: 0,
      expectedPods: 0,
      ...(one.isDisrupting ? { disruptedPods: { p: '2026-01-01T00:00:00Z' } } : {}),
    },
  }),
);
const pod = fc.record({ name: fc.constantFrom('p', 'q'), namespace, labels }).map(placedPod);

it('U-07 finds the budgets that guard a pod by its labels', () => {
  let found = 0;
  fc.assert(
    fc.property(fc.array(budget, { maxLength: 6 }), pod, (budgets, guarded) => {
      const guarding = guardingBudgets(budgets)(guarded);
      const wanted = budgets.filter(
        (one) =>
          coversPod(one, guarded) &&
          !isEmptySelector(one.spec?.selector) &&
          one.status?.disruptedPods?.[guarded.metadata.name] === undefined,
      );
      expect(guarding).toHaveLength(wanted.length);
      expect(new Set(guarding)).toEqual(new Set(wanted));
      found += wanted.length;
    }),
    { numRuns: 2_000 },
  );
  expect(found).toBeGreaterThan(0);
});
