import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Taint, Toleration } from '../../../../shared/kube/types/core.ts';
import {
  type NoExecuteFacts,
  noExecuteFacts,
  noExecuteTaints,
} from '../../../../shared/rules/nodes/taints.ts';
import {
  decidePodEviction,
  type PodEvictionDecision,
  type StoredDeadline,
} from '../../../../shared/rules/pods/taint-eviction.ts';
import { usedTolerations } from '../../../../shared/rules/pods/tolerations.ts';
import { taintLists, tolerationLists } from '../../../support/objects/domain-arbitraries.ts';

const none: NoExecuteFacts = { noExecute: [] };
const facts: fc.Arbitrary<NoExecuteFacts> = taintLists.chain((taints) =>
  fc.integer({ min: 0, max: 500_000 }).map((since) => noExecuteFacts(none, taints, since)),
);
const instants = fc.integer({ min: 0, max: 1_000_000 });

test('a decision about a pod is idempotent (I-03)', () => {
  fc.assert(
    fc.property(tolerationLists, facts, instants, instants, (tolerations, taints, boundAt, now) => {
      const pod = { uid: 'pod', tolerations, boundAt };
      const first = decidePodEviction(pod, taints, undefined, now);
      if (first.action !== 'wait') return;
      expect(decidePodEviction(pod, taints, first.deadline, now)).toEqual({ ...first, isNew: false });
    }),
  );
});

test('after a deadline was cleared there is nothing more to decide (I-03)', () => {
  fc.assert(
    fc.property(tolerationLists, facts, instants, (tolerations, taints, now) => {
      const stored: StoredDeadline = { uid: 'pod', start: 7, fireAt: 9 };
      const pod = { uid: 'pod', tolerations };
      if (decidePodEviction(pod, taints, stored, now).action !== 'clear') return;
      expect(decidePodEviction(pod, taints, undefined, now)).toEqual({ action: 'none' });
    }),
  );
});

interface Change {
  readonly tolerations: readonly Toleration[];
  readonly added: readonly Taint[];
  readonly ms: number;
}

/** Adds what is not there yet: no taint that a deadline may run from is ever taken off or replaced. */
const addTaints = (present: readonly Taint[], added: readonly Taint[]): readonly Taint[] => [
  ...present,
  ...added.filter(({ key }) => !present.some((taint) => taint.key === key)),
];

/** Every decision after the first, until the deadline ends. */
const followUps = (stored: StoredDeadline, taints: readonly Taint[], changes: readonly Change[]) => {
  const seen: {
    readonly decision: PodEvictionDecision;
    readonly now: number;
    readonly isTolerated: boolean;
  }[] = [];
  let now = 0;
  let present = taints;
  let known = noExecuteFacts(none, taints, now);
  for (const { tolerations, added, ms } of changes) {
    now += ms;
    present = addTaints(present, added);
    known = noExecuteFacts(known, present, now);
    const decision = decidePodEviction({ uid: 'pod', tolerations, toleratedAt: now }, known, stored, now);
    const isTolerated = usedTolerations(tolerations, noExecuteTaints(present)) !== undefined;
    seen.push({ decision, now, isTolerated });
    if (decision.action === 'clear' || decision.action === 'evict') break;
  }
  return seen;
};

test('a stored deadline does not change while its taints stay, whatever is tolerated or added (I-12)', () => {
  const changes = fc.array(fc.record({ tolerations: tolerationLists, added: taintLists, ms: instants }), {
    maxLength: 8,
  });
  fc.assert(
    fc.property(tolerationLists, taintLists, changes, (tolerations, taints, list) => {
      const known = noExecuteFacts(none, taints, 0);
      const first = decidePodEviction({ uid: 'pod', tolerations }, known, undefined, 0);
      fc.pre(first.action === 'wait');
      if (first.action !== 'wait') return;
      for (const { decision, now, isTolerated } of followUps(first.deadline, taints, list)) {
        if (decision.action === 'wait') expect(decision).toEqual({ ...first, isNew: false });
        if (decision.action === 'evict')
          expect(decision.dueAt).toBe(isTolerated ? first.deadline.fireAt : now);
      }
    }),
  );
});

test('no pod that tolerates every taint is evicted before the shortest toleration has run (I-13)', () => {
  fc.assert(
    fc.property(tolerationLists, facts, instants, instants, (tolerations, taints, boundAt, now) => {
      const pod = { uid: 'pod', tolerations, boundAt };
      const used = usedTolerations(
        tolerations,
        taints.noExecute.map((fact) => ({ ...fact, effect: 'NoExecute' })),
      );
      const decision = decidePodEviction(pod, taints, undefined, now);
      if (used === undefined || decision.action !== 'evict') return;
      const finite = used.flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []);
      const start = Math.max(boundAt, Math.min(...taints.noExecute.map(({ since }) => since)));
      const shortest = Math.min(...finite);
      if (shortest > 0) expect(now).toBeGreaterThanOrEqual(start + shortest * 1_000);
    }),
  );
});
