import { deepEqual } from '../../kube/json/deep-equal.ts';
import { kindSchema } from '../../kube/schema/schema-of.ts';
import type { PodDisruptionBudget } from '../../kube/types/policy.ts';
import { NO_STATUS } from '../../rules/budgets/disruption-budget.ts';
import type { Strategy } from '../contract/strategy.ts';
import { validateBudget, validateBudgetStatusUpdate, validateBudgetUpdate } from './validate-budget.ts';

const withGeneration = (after: PodDisruptionBudget, before: PodDisruptionBudget): PodDisruptionBudget => {
  const was = before.metadata.generation ?? 1;
  const generation = deepEqual(after.spec, before.spec) ? was : was + 1;
  return { ...after, metadata: { ...after.metadata, generation } };
};

/** How PodDisruptionBudgets behave. They are stored; the disruptions that they allow are computed on each read. */
export const budgetStrategy: Strategy<PodDisruptionBudget> = {
  kind: {
    group: 'policy',
    version: 'v1',
    kind: 'PodDisruptionBudget',
    resource: 'poddisruptionbudgets',
    namespaced: true,
  },
  schema: kindSchema('policy.v1.PodDisruptionBudget'),
  defaults: (budget) => ({
    ...budget,
    spec: budget.spec ?? {},
    status: { ...NO_STATUS, ...budget.status },
  }),
  forCreate: (budget) => ({
    ...budget,
    metadata: { ...budget.metadata, generation: 1 },
    status: NO_STATUS,
  }),
  forUpdate: (after, before) => withGeneration({ ...after, status: before.status ?? NO_STATUS }, before),
  forStatusUpdate: (after, before) => ({ ...after, spec: before.spec ?? {} }),
  validate: validateBudget,
  validateUpdate: validateBudgetUpdate,
  validateStatusUpdate: validateBudgetStatusUpdate,
  admit: ({ object }) => object,
  fields: () => ({}),
  needsVersionOnUpdate: true,
};
