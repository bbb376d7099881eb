import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from '../../../../shared/kube/types/policy.ts';
import type { OwnerScale } from '../../../../shared/rules/budgets/disruption-budget.ts';
import {
  budgetFactsOf,
  budgetStatus,
  coversPod,
  hasNewGrant,
  lapsedGrants,
  withGrant,
} from '../../../../shared/rules/budgets/disruption-budget.ts';

const NOW = Date.parse('2026-01-01T00:10:00Z');
const at = (secondsAgo: number): string => `${new Date(NOW - secondsAgo * 1000).toISOString().slice(0, 19)}Z`;

const budget = (
  spec: PodDisruptionBudgetSpec,
  status: Partial<PodDisruptionBudget['status']> = {},
): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'b', namespace: 'default', generation: 3 },
  spec: { selector: { matchLabels: { app: 'a' } }, ...spec },
  status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0, ...status },
});

interface Shape {
  readonly ready?: boolean;
  readonly deleting?: boolean;
  readonly owner?: string;
  readonly madeAgo?: number;
}

const pod = (name: string, { ready = true, deleting = false, owner, madeAgo = 500 }: Shape = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'default',
    labels: { app: 'a' },
    creationTimestamp: at(madeAgo),
    ...(deleting ? { deletionTimestamp: at(0) } : {}),
    ...(owner
      ? {
          ownerReferences: [
            { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: owner, controller: true },
          ],
        }
      : {}),
  },
  spec: { nodeName: 'n1' },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
});

const pods = (count: number, shape: Shape = {}): readonly Pod[] =>
  Array.from({ length: count }, (_, index) => pod(`${shape.owner ?? 'p'}-${index}`, shape));

interface Row {
  readonly name: string;
  readonly spec: PodDisruptionBudgetSpec;
  readonly pods: readonly Pod[];
  readonly scales?: Readonly<Record<string, OwnerScale>>;
  /** expected, desired, healthy, allowed. */
  readonly counts: readonly [number, number, number, number];
}

const ROWS: readonly Row[] = [
  {
    name: 'counts what is there for a number (B-02)',
    spec: { minAvailable: 2 },
    pods: pods(3),
    counts: [3, 2, 3, 1],
  },
  { name: 'allows nothing at the limit', spec: { minAvailable: 3 }, pods: pods(3), counts: [3, 3, 3, 0] },
  {
    name: 'allows nothing below the limit (B-07)',
    spec: { minAvailable: 5 },
    pods: pods(3),
    counts: [3, 5, 3, 0],
  },
  { name: 'allows nothing without pods', spec: { minAvailable: 0 }, pods: [], counts: [0, 0, 0, 0] },
  { name: 'allows nothing without a limit (B-01)', spec: {}, pods: pods(2), counts: [0, 0, 2, 0] },
  {
    name: 'leaves out pods that are not ready or are being deleted (B-07)',
    spec: { minAvailable: 1 },
    pods: [...pods(2), pod('q', { ready: false }), pod('r', { deleting: true })],
    counts: [4, 1, 2, 1],
  },
  {
    name: 'takes a percentage of what the owner wants, rounded up (B-03)',
    spec: { minAvailable: '30%' },
    pods: pods(4, { owner: 'rs' }),
    scales: { rs: { replicas: 5 } },
    counts: [5, 2, 4, 2],
  },
  {
    name: 'subtracts what may be unavailable (B-04)',
    spec: { maxUnavailable: 1 },
    pods: pods(5, { owner: 'rs' }),
    scales: { rs: { replicas: 5 } },
    counts: [5, 4, 5, 1],
  },
  {
    name: 'rounds the unavailable share up, too (B-05)',
    spec: { maxUnavailable: '30%' },
    pods: pods(5, { owner: 'rs' }),
    scales: { rs: { replicas: 5 } },
    counts: [5, 3, 5, 2],
  },
  {
    name: 'needs no pod where more may be unavailable than there are (B-04)',
    spec: { maxUnavailable: 9 },
    pods: pods(2, { owner: 'rs' }),
    scales: { rs: { replicas: 2 } },
    counts: [2, 0, 2, 2],
  },
  {
    name: 'adds up owners, each once (B-11)',
    spec: { maxUnavailable: '50%' },
    pods: [...pods(2, { owner: 'a' }), ...pods(1, { owner: 'b' })],
    scales: { a: { replicas: 3 }, b: { replicas: 1 } },
    counts: [4, 2, 3, 1],
  },
  {
    name: 'counts the Deployment behind two ReplicaSets once (B-12)',
    spec: { maxUnavailable: 1 },
    pods: [...pods(2, { owner: 'old' }), ...pods(2, { owner: 'new' })],
    scales: { old: { replicas: 3, of: 'deployment' }, new: { replicas: 3, of: 'deployment' } },
    counts: [3, 2, 4, 2],
  },
  {
    name: 'expects nothing of pods without an owner (B-11)',
    spec: { minAvailable: '50%' },
    pods: pods(4),
    counts: [0, 0, 4, 0],
  },
  {
    name: 'counts pods without an owner as healthy beside owned ones',
    spec: { maxUnavailable: 0 },
    pods: [...pods(2, { owner: 'rs' }), pod('alone')],
    scales: { rs: { replicas: 2 } },
    counts: [2, 2, 3, 1],
  },
];

describe('budgetStatus', () => {
  it.each(ROWS)('$name', ({ spec, pods: covered, scales = {}, counts }) => {
    const status = budgetStatus(budget(spec), covered, new Map(Object.entries(scales)), NOW);
    const { expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed } = status;
    expect([expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed]).toEqual(counts);
    expect(status.observedGeneration).toBe(3);
    expect(status.conditions).toEqual([
      {
        type: 'DisruptionAllowed',
        status: disruptionsAllowed > 0 ? 'True' : 'False',
        reason: disruptionsAllowed > 0 ? 'SufficientPods' : 'InsufficientPods',
        message: '',
        observedGeneration: 3,
        lastTransitionTime: at(0),
      },
    ]);
  });

  it.each<[string, Readonly<Record<string, string>>, readonly Pod[], number, readonly string[]]>([
    ['a granted pod no longer counts (B-07, B-08)', { 'p-0': at(10) }, pods(3), 2, ['p-0']],
    ['a grant is over after two minutes (B-08)', { 'p-0': at(120) }, pods(3), 3, []],
    ['a grant is removed with its pod', { gone: at(10) }, pods(3), 3, []],
    [
      'a grant is removed when its pod is being deleted (B-08)',
      { q: at(10) },
      [...pods(2), pod('q', { deleting: true })],
      2,
      [],
    ],
    ['a later pod of the name is another one (B-08)', { 'p-0': at(10) }, pods(3, { madeAgo: 5 }), 3, []],
    [
      'a pod created in the same second counts as granted',
      { 'p-0': at(10) },
      pods(3, { madeAgo: 10 }),
      2,
      ['p-0'],
    ],
  ])('%s', (_name, disruptedPods, covered, healthy, standing) => {
    const status = budgetStatus(budget({ minAvailable: 1 }, { disruptedPods }), covered, new Map(), NOW);
    expect(status.currentHealthy).toBe(healthy);
    expect(Object.keys(status.disruptedPods ?? {})).toEqual(standing);
  });

  it.each<[string, OwnerScale | undefined, string]>([
    ['is not known (B-06)', undefined, 'found no controllers for pod "rs-0"'],
    ['has no scale', { fault: 'no scale' }, 'no scale'],
  ])('allows no disruption if an owner %s', (_name, scale, message) => {
    const scales = new Map(scale ? [['rs', scale]] : []);
    const before = budget({ maxUnavailable: 1 }, { disruptionsAllowed: 2, observedGeneration: 2 });
    expect(budgetStatus(before, pods(3, { owner: 'rs' }), scales, NOW)).toMatchObject({
      disruptionsAllowed: 0,
      observedGeneration: 2,
      conditions: [{ status: 'False', reason: 'SyncFailed', message }],
    });
  });

  it('dates a condition that is not stored from the creation', () => {
    const made = budget({ minAvailable: 1 });
    const metadata = { ...made.metadata, creationTimestamp: at(77) };
    expect(budgetStatus({ ...made, metadata }, pods(2), new Map(), NOW).conditions).toMatchObject([
      { lastTransitionTime: at(77) },
    ]);
  });

  it('changes the transition time only with the condition', () => {
    const conditions = [{ type: 'DisruptionAllowed', status: 'True', lastTransitionTime: at(99) }] as const;
    const [kept, moved] = [1, 3].map((minAvailable) =>
      budgetStatus(budget({ minAvailable }, { conditions }), pods(3), new Map(), NOW),
    );
    expect(kept?.conditions?.[0]?.lastTransitionTime).toBe(at(99));
    expect(moved?.conditions?.[0]?.lastTransitionTime).toBe(at(0));
  });
});

describe('withGrant', () => {
  it('takes one disruption, and changes the condition with the last (B-09)', () => {
    const status = budgetStatus(budget({ minAvailable: 1 }), pods(3), new Map(), NOW);
    const once = withGrant(status, 'p-0', NOW);
    expect(once).toMatchObject({ disruptionsAllowed: 1, conditions: [{ status: 'True' }] });
    expect(withGrant(once, 'p-1', NOW)).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { 'p-0': at(0), 'p-1': at(0) },
      conditions: [{ status: 'False', reason: 'InsufficientPods' }],
    });
  });
});

describe('coversPod', () => {
  it.each<[string, PodDisruptionBudgetSpec, boolean]>([
    ['of its labels', {}, true],
    ['of other labels', { selector: { matchLabels: { app: 'b' } } }, false],
    ['by an empty selector (B-10)', { selector: {} }, true],
    ['by an expression', { selector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] } }, true],
    [
      'by a failing expression',
      {
        selector: { matchLabels: { app: 'a' }, matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] },
      },
      false,
    ],
    ['by an unknown operator', { selector: { matchExpressions: [{ key: 'app', operator: 'Gt' }] } }, false],
  ])('a pod %s', (_name, spec, expected) => {
    expect(coversPod(budget(spec), pod('p'))).toBe(expected);
  });

  it('not without a selector, nor in another namespace (B-10)', () => {
    const { selector: _selector, ...spec } = budget({}).spec ?? {};
    expect(coversPod({ ...budget({}), spec }, pod('p'))).toBe(false);
    const elsewhere = { ...budget({}), metadata: { name: 'b', namespace: 'kube-system' } };
    expect(coversPod(elsewhere, pod('p'))).toBe(false);
  });
});

describe('grants', () => {
  it('lapse after two minutes if nobody deletes the pod (B-13)', () => {
    const disruptedPods = { 'p-0': at(120), 'p-1': at(119), 'p-2': at(130), gone: at(130) };
    const covered = [...pods(2), pod('p-2', { deleting: true })];
    expect(lapsedGrants(budget({ minAvailable: 1 }, { disruptedPods }), covered, NOW)).toEqual([
      { pod: covered[0], grantedAt: at(120) },
    ]);
  });

  it.each([
    ['a new one', {}, { p: at(1) }, true],
    ['the same', { p: at(1) }, { p: at(1) }, false],
    ['a later one', { p: at(9) }, { p: at(1) }, true],
    ['one less', { p: at(1), q: at(1) }, { p: at(1) }, false],
  ])('%s', (_name, before, after, isNew) => {
    const withGrants = (disruptedPods: Readonly<Record<string, string>>) =>
      budget({ minAvailable: 1 }, { disruptedPods });
    expect(hasNewGrant(withGrants(before), withGrants(after))).toBe(isNew);
  });
});

describe('what a budget takes from a pod (B-14)', () => {
  const base = pod('p', { owner: 'rs' });
  it.each<[string, Pod, boolean]>([
    ['another node', { ...base, spec: { nodeName: 'n2' } }, false],
    ['another resourceVersion', { ...base, metadata: { ...base.metadata, resourceVersion: '9' } }, false],
    ['other labels', { ...base, metadata: { ...base.metadata, labels: { app: 'other' } } }, true],
    ['not ready', pod('p', { owner: 'rs', ready: false }), true],
    ['being deleted', pod('p', { owner: 'rs', deleting: true }), true],
    ['another owner', pod('p', { owner: 'other' }), true],
  ])('%s', (_name, next, changes) => {
    expect(budgetFactsOf(next) !== budgetFactsOf(base)).toBe(changes);
  });
});
