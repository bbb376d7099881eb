import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../../../shared/kube/types/policy.ts';
import { budgetToAsk } from '../../../../shared/rules/budgets/budget-to-ask.ts';
import { decideEviction, ignoresBudgets } from '../../../../shared/rules/budgets/eviction-verdict.ts';

const pod = (ready: boolean, rest: Partial<Pod> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: {},
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  ...rest,
});

const budget = (spec: PodDisruptionBudget['spec'] = {}): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'b', generation: 2 },
  spec,
});

const status = (rest: Partial<PodDisruptionBudgetStatus> = {}): PodDisruptionBudgetStatus => ({
  observedGeneration: 2,
  disruptionsAllowed: 0,
  currentHealthy: 1,
  desiredHealthy: 1,
  expectedPods: 1,
  ...rest,
});

const syncFailed = {
  type: 'DisruptionAllowed',
  status: 'False',
  reason: 'SyncFailed',
  message: 'no controller',
} as const;

const tooMany = Object.fromEntries(Array.from({ length: 2001 }, (_, n) => [`p${n}`, '2026-01-01T00:00:00Z']));

describe('decideEviction', () => {
  it.each<[string, boolean, Partial<PodDisruptionBudgetStatus>, PodDisruptionBudget['spec'], object]>([
    ['spends what is allowed (E-07)', true, { disruptionsAllowed: 1 }, {}, { verdict: 'spend' }],
    [
      'waits if no disruption is allowed (E-06)',
      true,
      {},
      {},
      { verdict: 'wait', why: 'The disruption budget b needs 1 healthy pods and has 1 currently' },
    ],
    [
      'waits without numbers if enough pods are healthy',
      true,
      { currentHealthy: 3 },
      {},
      { verdict: 'wait', why: 'The disruption budget b does not allow evicting pods currently' },
    ],
    [
      'says why the pods could not be counted',
      true,
      { conditions: [syncFailed] },
      {},
      {
        verdict: 'wait',
        why: 'The disruption budget b does not allow evicting pods currently because it failed sync: no controller',
      },
    ],
    [
      'waits ten seconds for a status of this spec (E-05)',
      true,
      { observedGeneration: 1, disruptionsAllowed: 1 },
      {},
      {
        verdict: 'wait',
        why: 'The disruption budget b is still being processed by the server.',
        seconds: 10,
      },
    ],
    [
      'refuses a negative budget (E-08)',
      true,
      { disruptionsAllowed: -1 },
      {},
      { verdict: 'forbidden', why: 'pdb disruptions allowed is negative' },
    ],
    [
      'refuses if there are too many grants (E-08)',
      true,
      { disruptionsAllowed: 1, disruptedPods: tooMany },
      {},
      {
        verdict: 'forbidden',
        why: 'DisruptedPods map too big - too many evictions not confirmed by PDB controller',
      },
    ],
    ['evicts an unhealthy pod if enough pods are healthy (E-04)', false, {}, {}, { verdict: 'unhealthy' }],
    [
      'asks the budget for an unhealthy pod if too few pods are healthy',
      false,
      { currentHealthy: 0 },
      { unhealthyPodEvictionPolicy: 'IfHealthyBudget' },
      { verdict: 'wait', why: 'The disruption budget b needs 1 healthy pods and has 0 currently' },
    ],
    [
      'asks the budget for an unhealthy pod if no pod has to be healthy (E-04)',
      false,
      { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 1 },
      {},
      { verdict: 'spend' },
    ],
    [
      'always evicts an unhealthy pod with the policy AlwaysAllow (E-04)',
      false,
      { currentHealthy: 0, observedGeneration: 1 },
      { unhealthyPodEvictionPolicy: 'AlwaysAllow' },
      { verdict: 'unhealthy' },
    ],
    [
      'guards healthy pods also under that policy',
      true,
      {},
      { unhealthyPodEvictionPolicy: 'AlwaysAllow' },
      { verdict: 'wait', why: 'The disruption budget b needs 1 healthy pods and has 1 currently' },
    ],
  ])('%s', (_name, ready, given, spec, expected) => {
    expect(decideEviction(budget(spec), status(given), pod(ready))).toEqual(expected);
  });
});

describe('budgetToAsk', () => {
  const covering = (name: string): PodDisruptionBudget => {
    const { metadata, ...rest } = budget({ selector: {} });
    return { ...rest, metadata: { ...metadata, name } };
  };
  const elsewhere = { ...covering('elsewhere'), metadata: { name: 'elsewhere', namespace: 'other' } };
  const selectsOthers = budget({ selector: { matchLabels: { app: 'other' } } });

  it.each<[string, readonly PodDisruptionBudget[], object]>([
    ['asks no budget without budgets (E-02)', [], { outcome: 'none' }],
    ['asks no budget if all cover other pods (E-02)', [selectsOthers, elsewhere], { outcome: 'none' }],
    [
      'asks the one that covers the pod',
      [selectsOthers, covering('b')],
      { outcome: 'one', budget: covering('b') },
    ],
    ['asks none of two (E-03)', [covering('b'), covering('c')], { outcome: 'tooMany' }],
  ])('%s', (_name, budgets, expected) => {
    expect(budgetToAsk(pod(true), budgets)).toEqual(expected);
  });
});

describe('ignoresBudgets', () => {
  it.each([
    ['Pending', true],
    ['Running', false],
    ['Succeeded', true],
    ['Failed', true],
    ['Unknown', false],
  ] as const)('%s: %s', (phase, expected) => {
    expect(ignoresBudgets(pod(true, { status: { phase } }))).toBe(expected);
  });

  it('holds for a pod that is being deleted (E-01)', () => {
    const metadata = { name: 'p', deletionTimestamp: '2026-01-01T00:00:00Z' };
    expect(ignoresBudgets(pod(true, { metadata }))).toBe(true);
  });
});
