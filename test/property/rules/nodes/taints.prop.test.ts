import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Node } from '../../../../shared/kube/types/core.ts';
import {
  decideNoExecute,
  type NoExecuteDecision,
  stripNoExecute,
  swapNoExecute,
} from '../../../../shared/rules/nodes/no-execute.ts';
import {
  carrySince,
  type NoExecuteTaint,
  noExecuteTaints,
  swapTaints,
} from '../../../../shared/rules/nodes/taints.ts';
import { nodes, taintLists } from '../../../support/objects/domain-arbitraries.ts';

const facts = taintLists.map((taints) => carrySince([], taints, 0));

const find = (
  list: readonly NoExecuteTaint[],
  { key, value = '' }: NoExecuteTaint,
): NoExecuteTaint | undefined => list.find((fact) => fact.key === key && (fact.value ?? '') === value);

test('carrySince keeps the instant of a taint that stays, and every other taint begins now (I-08)', () => {
  fc.assert(
    fc.property(facts, fc.array(taintLists, { maxLength: 6 }), (start, writes) => {
      let before = start;
      for (const [index, taints] of writes.entries()) {
        const now = (index + 1) * 1_000;
        const after = carrySince(before, taints, now);
        expect(after.map(({ key }) => key)).toEqual(noExecuteTaints(taints).map(({ key }) => key));
        for (const fact of after) expect(fact.since).toBe(find(before, fact)?.since ?? now);
        before = after;
      }
    }),
  );
});

test('swapping the same taints is idempotent', () => {
  fc.assert(
    fc.property(taintLists, taintLists, taintLists, (taints, add, remove) => {
      const gone = remove.filter(({ key, effect }) => !add.some((t) => t.key === key && t.effect === effect));
      const once = swapTaints(taints, add, gone, 1_000);
      expect(swapTaints(once, add, gone, 2_000)).toBe(once);
    }),
  );
});

const apply = (node: Node, decision: NoExecuteDecision): Node => {
  if (decision.action === 'none') return node;
  return decision.action === 'remove' ? stripNoExecute(node) : swapNoExecute(node, decision.add, 1_000);
};

test('after a NoExecute decision was carried out there is nothing more to decide (I-03)', () => {
  fc.assert(
    fc.property(nodes, (node) => {
      expect(decideNoExecute(apply(node, decideNoExecute(node)))).toEqual({ action: 'none' });
    }),
  );
});
