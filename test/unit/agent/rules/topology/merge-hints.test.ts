import { expect, test } from 'vitest';
import type { TopologyHint } from '../../../../../agent/rules/topology/hint.ts';
import { mergeHints } from '../../../../../agent/rules/topology/merge-hints.ts';
import { knownMask, masksOf } from '../../../../../agent/rules/topology/numa-mask.ts';

const NODES = [0, 1, 2, 3, 4, 5, 6, 7];

test('eight nodes and six resources without a narrow hint are merged, though 255^6 combinations would take years', () => {
  const hints: readonly TopologyHint[] = [...masksOf(NODES)].map((affinity) => ({
    affinity,
    isPreferred: false,
  }));
  const providers = Array.from({ length: 6 }, (_, index) => ({ [`r${index}`]: hints }));
  expect(mergeHints('restricted', { nodes: NODES }, providers)).toEqual({
    hint: { affinity: knownMask([0]), isPreferred: false },
    isAdmitted: false,
  });
});
