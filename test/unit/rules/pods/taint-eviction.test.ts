import { describe, expect, test } from 'vitest';
import type { Toleration } from '../../../../shared/kube/types/core.ts';
import { TAINT_NOT_READY, TAINT_UNREACHABLE } from '../../../../shared/kube/types/well-known.ts';
import { decidePodEviction, type StoredDeadline } from '../../../../shared/rules/pods/taint-eviction.ts';
import { type EvictionStep, playEviction } from '../../../support/upstream/pod-eviction-scenario.ts';

const ONE = 'testTaint1=test1:NoExecute';
const TWO = 'testTaint2=test2:NoExecute';
const UNREACHABLE = `${TAINT_UNREACHABLE}:NoExecute`;
const NOT_READY = `${TAINT_NOT_READY}:NoExecute`;

/** Tolerates `testTaint<n>` for these seconds, or for ever. */
const tol = (n: number, seconds?: number): Toleration => ({
  key: `testTaint${n}`,
  operator: 'Equal',
  value: `test${n}`,
  effect: 'NoExecute',
  ...(seconds === undefined ? {} : { tolerationSeconds: seconds }),
});

const all = (seconds: number): Toleration => ({ operator: 'Exists', tolerationSeconds: seconds });

/** Tolerates the key for these seconds, or for ever. */
const tolerate = (key: string, seconds?: number): Toleration => ({
  key,
  operator: 'Exists',
  ...(seconds === undefined ? {} : { tolerationSeconds: seconds }),
});

const T = 1_000_000;
const SECOND = 1_000;

interface Row {
  readonly name: string;
  readonly source: string;
  readonly steps: readonly EvictionStep[];
  /** Seconds after `T`; undefined: not within the five minutes that are watched. */
  readonly evictedAfter?: number;
  /** How long to watch, in seconds; as long as upstream's test does where it expects nothing. */
  readonly watch?: number;
}

const create = 'kubernetes v1.34 `TestCreatePod`';
const update = 'kubernetes v1.34 `TestUpdatePod`';
const createNode = 'kubernetes v1.34 `TestCreateNode`';
const updateNode = 'kubernetes v1.34 `TestUpdateNode`';
const multiple = 'kubernetes v1.34 `TestUpdateNodeWithMultiplePods`';
const consistency = 'kubernetes v1.34 `TestEventualConsistency`';
const rule = 'kubernetes v1.34 `processPodOnNode`';
const own = 'Rollcall, stored deadlines';

const rows: readonly Row[] = [
  { name: 'a pod without node or taints stays', source: create, steps: [{ at: T, taints: [] }] },
  {
    name: 'a pod on a node without taints stays',
    source: create,
    steps: [{ at: T, taints: [], boundAt: T }],
  },
  {
    name: 'a new pod without tolerations goes from a tainted node at once (T-01)',
    source: create,
    steps: [{ at: T, taints: [ONE] }],
    evictedAfter: 0,
  },
  {
    name: 'a new pod that tolerates the taint for 100 s stays that long (T-03)',
    source: create,
    steps: [{ at: T, taints: [ONE], tolerations: [tol(1, 100)] }],
    watch: 99,
  },
  {
    name: 'a new pod that tolerates the taint for ever stays (T-02)',
    source: create,
    steps: [{ at: T, taints: [ONE], tolerations: [tol(1)] }],
  },
  {
    name: 'a new pod that tolerates another taint goes',
    source: create,
    steps: [{ at: T, taints: [ONE], tolerations: [tol(2)] }],
    evictedAfter: 0,
  },
  {
    name: 'a pod that is bound to a tainted node goes',
    source: update,
    steps: [
      { at: T, taints: [] },
      { at: T + SECOND, taints: [ONE], boundAt: T + SECOND },
    ],
    evictedAfter: 1,
  },
  {
    name: 'a pod that tolerates for ever may be bound to a tainted node',
    source: update,
    steps: [
      { at: T, taints: [], tolerations: [tol(1)] },
      { at: T + SECOND, taints: [ONE], boundAt: T + SECOND },
    ],
  },
  {
    name: 'a pod that loses its tolerations goes',
    source: update,
    steps: [
      { at: T, taints: [ONE], tolerations: [tol(1, 100)] },
      { at: T + SECOND, tolerations: [] },
    ],
    evictedAfter: 1,
  },
  {
    name: 'a longer toleration does not move a deadline',
    source: update,
    steps: [
      { at: T, taints: [ONE], tolerations: [tol(1, 1)] },
      { at: T + 500, tolerations: [tol(1, 100)] },
    ],
    evictedAfter: 1,
  },
  {
    name: 'a pod stays when its node appears without taints',
    source: createNode,
    steps: [{ at: T, taints: [] }],
  },
  {
    name: 'a pod goes when its node appears tainted',
    source: createNode,
    steps: [{ at: T, taints: [ONE] }],
    evictedAfter: 0,
  },
  {
    name: 'a pod that tolerates for ever stays when its node appears tainted',
    source: createNode,
    steps: [{ at: T, taints: [ONE], tolerations: [tol(1)] }],
  },
  {
    name: 'a pod goes when its node gets a taint',
    source: updateNode,
    steps: [{ at: T }, { at: T + SECOND, taints: [ONE] }],
    evictedAfter: 1,
  },
  {
    name: 'a pod that tolerates it for 100 s stays that long when its node gets a taint',
    source: updateNode,
    steps: [
      { at: T, tolerations: [tol(1, 100)] },
      { at: T + SECOND, taints: [ONE] },
    ],
    watch: 100,
  },
  {
    name: 'a pod goes when it tolerates only one of two taints (T-01)',
    source: updateNode,
    steps: [
      { at: T, tolerations: [tol(1, 100)] },
      { at: T + SECOND, taints: [ONE, TWO] },
    ],
    evictedAfter: 1,
  },
  {
    name: 'a pod stays when the taint goes before its deadline (T-02)',
    source: updateNode,
    steps: [
      { at: T, taints: [ONE], tolerations: [tol(1, 1)] },
      { at: T + 500, taints: [] },
    ],
  },
  {
    name: 'a pod goes by the shorter of two tolerations (T-07)',
    source: updateNode,
    steps: [
      { at: T, tolerations: [tol(1, 1), tol(2, 100)] },
      { at: T + SECOND, taints: [ONE, TWO] },
    ],
    evictedAfter: 2,
  },
  {
    name: 'of several pods one without tolerations goes at once',
    source: multiple,
    steps: [{ at: T, taints: [ONE] }],
    evictedAfter: 0,
  },
  {
    name: 'of several pods one that tolerates for 1 s goes after 1 s',
    source: multiple,
    steps: [{ at: T, taints: [ONE], tolerations: [tol(1, 1)] }],
    evictedAfter: 1,
  },
  {
    name: 'of several pods one that tolerates for ever stays',
    source: multiple,
    steps: [{ at: T, taints: [ONE], tolerations: [tol(1)] }],
  },
  {
    name: 'under a second taint also the pod that tolerated the first for 1 s goes at once',
    source: multiple,
    steps: [{ at: T, taints: [ONE, TWO], tolerations: [tol(1, 1)] }],
    evictedAfter: 0,
  },
  {
    name: 'under a second taint also the pod that tolerated the first for ever goes at once',
    source: multiple,
    steps: [{ at: T, taints: [ONE, TWO], tolerations: [tol(1)] }],
    evictedAfter: 0,
  },
  {
    name: 'the pod seen before its node is tainted goes with the taint',
    source: consistency,
    steps: [
      { at: T, boundAt: T },
      { at: T + SECOND, taints: [ONE] },
    ],
    evictedAfter: 1,
  },
  {
    name: 'the pod seen after its node was tainted goes when seen',
    source: consistency,
    steps: [
      { at: T, taints: [ONE], isLost: true },
      { at: T + SECOND, boundAt: T + SECOND },
    ],
    evictedAfter: 1,
  },
  {
    name: 'a second taint with a shorter toleration does not move a deadline (T-03)',
    source: rule,
    steps: [
      { at: T, taints: [ONE], tolerations: [tol(1, 60), tol(2, 5)] },
      { at: T + SECOND, taints: [ONE, TWO] },
    ],
    evictedAfter: 60,
  },
  {
    name: 'a shorter toleration, even 0, does not move a deadline (T-04)',
    source: rule,
    steps: [
      { at: T, taints: [ONE], tolerations: [tol(1, 60)] },
      { at: T + SECOND, tolerations: [tol(1, 0)] },
    ],
    evictedAfter: 60,
  },
  {
    name: 'the first of two tolerations that match counts (T-05)',
    source: rule,
    steps: [{ at: T, taints: [ONE], tolerations: [all(12), tol(1, 3)] }],
    evictedAfter: 12,
  },
  {
    name: 'negative seconds evict at once (T-04)',
    source: rule,
    steps: [{ at: T, taints: [ONE], tolerations: [tol(1, -5)] }],
    evictedAfter: 0,
  },
  {
    name: 'a finite toleration counts beside an infinite one',
    source: rule,
    steps: [{ at: T, taints: [ONE, TWO], tolerations: [tol(1), tol(2, 7)] }],
    evictedAfter: 7,
  },
  {
    name: 'a deadline ends when the toleration becomes infinite (T-02)',
    source: rule,
    steps: [
      { at: T, taints: [ONE], tolerations: [tol(1, 7)] },
      { at: T + SECOND, tolerations: [tol(1)] },
    ],
  },
  {
    name: 'a swap between unreachable and not-ready keeps the deadline (T-09)',
    source: rule,
    steps: [
      { at: T, taints: [UNREACHABLE], tolerations: [all(60)] },
      { at: T + 30 * SECOND, taints: [NOT_READY] },
    ],
    evictedAfter: 60,
  },
  {
    name: 'a changed value of the taint keeps the deadline (T-09)',
    source: rule,
    steps: [
      { at: T, taints: ['a=1:NoExecute'], tolerations: [all(60)] },
      { at: T + 30 * SECOND, taints: ['a=2:NoExecute'] },
    ],
    evictedAfter: 60,
  },
  {
    name: 'the time runs from the taint even where nobody decided until later (T-07)',
    source: own,
    steps: [{ at: T, taints: [ONE], tolerations: [tol(1, 60)], isLost: true }, { at: T + 50 * SECOND }],
    evictedAfter: 60,
  },
  {
    name: 'a deadline that was missed altogether is due at once',
    source: own,
    steps: [{ at: T, taints: [ONE], tolerations: [tol(1, 60)], isLost: true }, { at: T + 90 * SECOND }],
    evictedAfter: 90,
  },
  {
    name: 'the time does not run before the pod was bound (T-07)',
    source: own,
    steps: [
      { at: T, taints: [ONE], isLost: true },
      { at: T + 50 * SECOND, tolerations: [tol(1, 60)], boundAt: T + 50 * SECOND },
    ],
    evictedAfter: 110,
  },
  {
    name: 'the time runs from the taint with a finite toleration, not from an older one tolerated for ever',
    source: own,
    steps: [
      { at: T, taints: [ONE], tolerations: [tol(1), tol(2, 60)] },
      { at: T + 50 * SECOND, taints: [ONE, TWO] },
    ],
    evictedAfter: 110,
  },
  {
    name: 'a pod of the same name owes nothing to the deadline of the one before (T-11)',
    source: own,
    steps: [
      { at: T, taints: [ONE], tolerations: [tol(1, 60)], boundAt: T },
      { at: T + 50 * SECOND, uid: 'other', boundAt: T + 50 * SECOND },
    ],
    evictedAfter: 110,
  },
  {
    name: 'a deadline whose end got lost does not shorten the toleration of a later taint (T-11)',
    source: own,
    steps: [
      { at: T, taints: [UNREACHABLE], tolerations: [all(60)] },
      { at: T + 30 * SECOND, taints: [], isLost: true },
      { at: T + 50 * SECOND, taints: [UNREACHABLE] },
    ],
    evictedAfter: 110,
  },
  {
    name: 'a swap to a taint that is tolerated for a time starts the time there: no timer ran before',
    source: rule,
    steps: [
      {
        at: T,
        taints: [UNREACHABLE],
        tolerations: [tolerate(TAINT_UNREACHABLE), tolerate(TAINT_NOT_READY, 100)],
      },
      { at: T + 200 * SECOND, taints: [NOT_READY] },
    ],
    evictedAfter: 300,
    watch: 600,
  },
  {
    name: 'the same where the message of the first taint was lost',
    source: rule,
    steps: [
      {
        at: T,
        taints: [UNREACHABLE],
        tolerations: [tolerate(TAINT_UNREACHABLE), tolerate(TAINT_NOT_READY, 100)],
        isLost: true,
      },
      { at: T + 200 * SECOND, taints: [NOT_READY] },
    ],
    evictedAfter: 300,
    watch: 600,
  },
  {
    name: 'a swap to a taint that is tolerated for ever ends the deadline, and the swap back starts another',
    source: rule,
    steps: [
      {
        at: T,
        taints: [NOT_READY],
        tolerations: [tolerate(TAINT_UNREACHABLE), tolerate(TAINT_NOT_READY, 100)],
      },
      { at: T + 50 * SECOND, taints: [UNREACHABLE] },
      { at: T + 60 * SECOND, taints: [NOT_READY] },
    ],
    evictedAfter: 160,
  },
  {
    name: 'the same where nobody looked in between',
    source: own,
    steps: [
      {
        at: T,
        taints: [NOT_READY],
        tolerations: [tolerate(TAINT_UNREACHABLE), tolerate(TAINT_NOT_READY, 100)],
      },
      { at: T + 50 * SECOND, taints: [UNREACHABLE], isLost: true },
      { at: T + 60 * SECOND, taints: [NOT_READY] },
    ],
    evictedAfter: 160,
  },
  {
    name: 'a changed value starts its own time where the old one was tolerated for ever',
    source: rule,
    steps: [
      {
        at: T,
        taints: ['a=1:NoExecute'],
        tolerations: [
          { key: 'a', value: '1' },
          { key: 'a', operator: 'Exists', tolerationSeconds: 60 },
        ],
      },
      { at: T + 100 * SECOND, taints: ['a=2:NoExecute'] },
    ],
    evictedAfter: 160,
  },
  {
    name: 'a swap before any deadline was stored starts the time with the second taint',
    source: own,
    steps: [
      { at: T, taints: [UNREACHABLE], tolerations: [all(60)], isLost: true },
      { at: T + 30 * SECOND, taints: [NOT_READY] },
    ],
    evictedAfter: 90,
  },
  {
    name: 'a deadline stays when the taint that started it goes and another one that is tolerated for a time stays',
    source: rule,
    steps: [
      { at: T, taints: [ONE], tolerations: [tol(1, 100), tol(2, 10)] },
      { at: T + 5 * SECOND, taints: [ONE, TWO] },
      { at: T + 50 * SECOND, taints: [TWO] },
    ],
    evictedAfter: 100,
  },
  {
    name: 'a taint that goes and comes back within a second starts afresh, also beside one that is tolerated for ever',
    source: own,
    steps: [
      { at: T, taints: [ONE, TWO], tolerations: [tol(1, 100), tol(2)] },
      { at: T + 90 * SECOND, taints: [TWO], isLost: true },
      { at: T + 91 * SECOND, taints: [ONE, TWO] },
    ],
    evictedAfter: 191,
  },
  {
    name: 'the shortest seconds do not run from the earliest taint: that taint has seconds of its own',
    source: rule,
    steps: [
      { at: T, taints: [ONE], tolerations: [tol(1, 100), tol(2, 10)], isLost: true },
      { at: T + 50 * SECOND, taints: [ONE, TWO] },
    ],
    evictedAfter: 100,
  },
  {
    name: 'a pod bound after both taints has the shorter time from its binding',
    source: rule,
    steps: [
      { at: T, taints: [ONE], isLost: true },
      { at: T + 50 * SECOND, taints: [ONE, TWO], isLost: true },
      { at: T + 60 * SECOND, tolerations: [tol(1, 100), tol(2, 10)], boundAt: T + 60 * SECOND },
    ],
    evictedAfter: 70,
  },
  {
    name: 'a toleration that ceases to be for ever starts its time with the change (T-07)',
    source: rule,
    steps: [
      { at: T, taints: [ONE], tolerations: [tol(1)] },
      { at: T + 100 * SECOND, tolerations: [tol(1, 60)] },
    ],
    evictedAfter: 160,
  },
  {
    name: 'more swaps than a node remembers keep the deadline (T-10)',
    source: rule,
    steps: Array.from({ length: 40 }, (_, n) => ({
      at: T + n * SECOND,
      taints: [n % 2 === 0 ? UNREACHABLE : NOT_READY],
      ...(n === 0 ? { tolerations: [all(60)] } : {}),
    })),
    evictedAfter: 60,
  },
];

describe('a pod on a tainted node', () => {
  test.each(rows)('$name', ({ steps, evictedAfter, watch }) => {
    const { evictedAt } = playEviction(steps, T + (watch ?? 300) * SECOND);
    expect(evictedAt).toBe(evictedAfter === undefined ? undefined : T + evictedAfter * SECOND);
  });

  test('has a deadline only while a finite toleration is in use (kubernetes v1.34 `TestUpdateNodeWithMultipleTaints`)', () => {
    const tolerations = [
      { key: 'testTaint1', operator: 'Exists' },
      { key: 'testTaint2', operator: 'Exists', tolerationSeconds: 60 },
    ];
    const taints = [[], [ONE], [ONE, TWO], [ONE]];
    const trace = playEviction(
      taints.map((list, i) => ({ at: T + i * SECOND, taints: list, tolerations })),
      T + 300 * SECOND,
    );
    expect(trace.fireAts).toEqual([undefined, undefined, T + 62 * SECOND, undefined]);
    expect(trace.evictedAt).toBeUndefined();
  });
});

describe('decidePodEviction', () => {
  const taints = { noExecute: [{ key: 'a', since: T }] };
  const pod = { uid: 'pod', tolerations: [all(60)] };
  const deadline: StoredDeadline = { uid: 'pod', start: T, fireAt: T + 60_000 };

  test('stores a deadline once', () => {
    expect(decidePodEviction(pod, taints, undefined, T)).toEqual({ action: 'wait', deadline, isNew: true });
    expect(decidePodEviction(pod, taints, deadline, T)).toEqual({ action: 'wait', deadline, isNew: false });
  });

  test('is due at the stored instant, not a millisecond before (T-03)', () => {
    expect(decidePodEviction(pod, taints, deadline, T + 59_999).action).toBe('wait');
    expect(decidePodEviction(pod, taints, deadline, T + 60_000)).toEqual({
      action: 'evict',
      dueAt: T + 60_000,
      start: T,
      isTimed: true,
    });
  });

  test("clears only a deadline with the pod's uid (T-02)", () => {
    expect(decidePodEviction(pod, { noExecute: [] }, deadline, T)).toEqual({ action: 'clear' });
    expect(decidePodEviction(pod, { noExecute: [] }, { ...deadline, uid: 'other' }, T)).toEqual({
      action: 'none',
    });
    expect(decidePodEviction(pod, { noExecute: [] }, undefined, T)).toEqual({ action: 'none' });
  });

  test('ignores taints with other effects', () => {
    const noSchedule = { noExecute: [{ key: 'a', effect: 'NoSchedule' as const, since: T }] };
    expect(decidePodEviction({ uid: 'pod', tolerations: [] }, noSchedule, undefined, T)).toEqual({
      action: 'none',
    });
  });

  test('evicts at once for 0 seconds, even if the taint has a later instant of another clock', () => {
    const zero = { uid: 'pod', tolerations: [all(0)] };
    expect(decidePodEviction(zero, { noExecute: [{ key: 'a', since: T + 50 }] }, undefined, T)).toEqual({
      action: 'evict',
      dueAt: T,
      start: T,
      isTimed: false,
    });
  });

  test('limits a deadline of 2^63 seconds to a valid date (T-13)', () => {
    const patient = { uid: 'pod', tolerations: [all(2 ** 63)] };
    expect(decidePodEviction(patient, taints, undefined, T)).toMatchObject({
      action: 'wait',
      deadline: { fireAt: 8_640_000_000_000_000 },
    });
  });
});
