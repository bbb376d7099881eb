import { expect, it } from 'vitest';
import { isTaintedByHealth } from '../../../../shared/rules/zones/health-taints.ts';

const taints = (...keys: readonly string[]) => keys.map((key) => ({ key, since: 0 }));

it.each([
  ['a not-ready node', ['node.kubernetes.io/not-ready'], true],
  ['an unreachable node', ['node.kubernetes.io/unreachable'], true],
  ['an unreachable node with another taint', ['k', 'node.kubernetes.io/unreachable'], true],
  ['a node with other taints only', ['k', 'node.kubernetes.io/memory-pressure'], false],
  ['a node without taints', [], false],
])('whether deletions of pods on a node with %s wait after an absence (G-06): %#', (_, keys, rests) => {
  expect(isTaintedByHealth(taints(...keys))).toBe(rests);
});
