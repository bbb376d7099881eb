import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Pod, Taint, Toleration } from '../../../../shared/kube/types/core.ts';
import { TAINT_NOT_READY, TAINT_UNREACHABLE } from '../../../../shared/kube/types/well-known.ts';
import type { PodFacts } from '../../../../shared/ports/store/rows.ts';
import { type NoExecuteFacts, noExecuteFacts } from '../../../../shared/rules/nodes/taints.ts';
import { decidePodEviction, type StoredDeadline } from '../../../../shared/rules/pods/taint-eviction.ts';
import { podFacts } from '../../../../shared/store/commit/pod-facts.ts';
import { aPod } from '../../../support/objects/domain-objects.ts';
import {
  evictedByKubernetes,
  type Happening,
  hasTimerRun,
} from '../../../support/upstream/no-execute-taint-manager.ts';

const SECOND = 1_000;
const END = 2_000;

const keys = fc.constantFrom(TAINT_NOT_READY, TAINT_UNREACHABLE, 'a');
const taint: fc.Arbitrary<Taint> = fc.record(
  { key: keys, effect: fc.constant('NoExecute' as const), value: fc.constantFrom('x', 'y') },
  { requiredKeys: ['key', 'effect'] },
);
const taints = fc.uniqueArray(taint, { selector: ({ key }) => key, maxLength: 3 });
/** Odd, so that no timer ends at the instant of a change: there either order is right. */
const seconds = fc.integer({ min: -1, max: 150 }).map((n) => 2 * n + 1);
const toleration: fc.Arbitrary<Toleration> = fc.record(
  {
    key: keys,
    operator: fc.constantFrom('Exists', 'Exists', 'Equal'),
    value: fc.constantFrom('x', 'y'),
    tolerationSeconds: seconds,
  },
  { requiredKeys: ['key', 'operator'] },
);
/** Most pods tolerate all: else nearly all of them would go with the first taint. */
const tolerations = fc
  .tuple(
    fc.array(toleration, { maxLength: 4 }),
    fc.option(fc.record({ tolerationSeconds: seconds }, { requiredKeys: [] })),
  )
  .map(([own, rest]) => [...own, ...(rest ? [{ operator: 'Exists', ...rest }] : [])]);

type Lossy = Happening & { readonly isLost: boolean };

const change = fc.oneof(
  { arbitrary: fc.record({ taints }), weight: 4 },
  { arbitrary: fc.record({ tolerations }), weight: 1 },
  { arbitrary: fc.constant({ binds: true as const }), weight: 1 },
);

const happenings: fc.Arbitrary<readonly Lossy[]> = fc
  .tuple(
    tolerations,
    fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), change, fc.boolean()), {
      minLength: 1,
      maxLength: 14,
    }),
  )
  .map(([first, later]) => {
    let at = 0;
    const rest = later.map(([wait, what, isLost]) => {
      at += 2 * wait;
      return { at, ...what, isLost: isLost && 'taints' in what };
    });
    return [{ at: 0, tolerations: first, isLost: false }, ...rest];
  });

interface State {
  pod: Pod;
  facts: PodFacts | undefined;
  node: NoExecuteFacts;
  stored: StoredDeadline | undefined;
}

const look = (state: State, now: number): boolean => {
  if (!state.facts?.nodeName) return false;
  const decision = decidePodEviction({ uid: 'pod', ...state.facts }, state.node, state.stored, now);
  if (decision.action === 'wait') state.stored = decision.deadline;
  if (decision.action === 'clear') state.stored = undefined;
  return decision.action === 'evict';
};

const apply = (state: State, happening: Happening): void => {
  const now = happening.at * SECOND;
  const { tolerations: tolerated = state.pod.spec.tolerations ?? [], binds } = happening;
  const nodeName = binds ? { nodeName: 'n1' } : {};
  state.pod = { ...state.pod, spec: { ...state.pod.spec, tolerations: tolerated, ...nodeName } };
  state.facts = podFacts(state.pod, state.facts, now);
  if (happening.taints) state.node = noExecuteFacts(state.node, happening.taints, now);
};

/** The same by stored facts and deadlines, with a wake-up at each deadline; a change that is lost is looked at later. */
const evictedByRollcall = (list: readonly Lossy[]): number | undefined => {
  const state: State = { pod: aPod(), facts: undefined, node: { noExecute: [] }, stored: undefined };
  const wakeUp = (until: number): number | undefined => {
    for (let due = state.stored?.fireAt; due !== undefined && due <= until; ) {
      if (look(state, due)) return due / SECOND;
      const next = state.stored?.fireAt;
      due = next === due ? undefined : next;
    }
    return undefined;
  };
  for (const happening of list) {
    const woken = wakeUp(happening.at * SECOND);
    if (woken !== undefined) return woken;
    apply(state, happening);
    if (!happening.isLost && look(state, happening.at * SECOND)) return happening.at;
  }
  return wakeUp(END * SECOND);
};

test('a pod is evicted in the second in which Kubernetes deletes it, whatever changes (I-16)', () => {
  fc.assert(
    fc.property(happenings, (list) => {
      const seen = list.map((happening) => ({ ...happening, isLost: false }));
      expect(evictedByRollcall(seen)).toBe(evictedByKubernetes(list, END));
    }),
    { numRuns: 2_000 },
  );
});

test('even if messages about taints are lost, a pod is evicted only after a toleration has run without a break (I-17)', () => {
  fc.assert(
    fc.property(happenings, (list) => {
      // Which taints were tolerated for ever by tolerations that have been replaced since, nobody knows.
      const kept = list.filter(({ at, tolerations: changed }) => at === 0 || changed === undefined);
      const evictedAt = evictedByRollcall(kept);
      if (evictedAt !== undefined) expect(hasTimerRun(kept, evictedAt)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
