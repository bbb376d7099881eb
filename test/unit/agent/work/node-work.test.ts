import { expect, it } from 'vitest';
import { parseWorkPage } from '../../../../agent/domain/work/node-work.ts';

const OWNER = { clusterId: 'c1', nodeUid: 'u1' };
const PAGE = {
  kind: 'NodeWork',
  metadata: { name: 'n1', uid: 'u1', continue: 'next' },
  workRevision: '7',
  clusterId: 'c1',
  node: { unschedulable: false, taints: [] },
  ...{ pods: [], configMaps: [], secrets: [] },
};

it('reads a page', () => {
  expect(parseWorkPage(PAGE, OWNER)).toEqual({
    revision: '7',
    node: PAGE.node,
    ...{ pods: [], configMaps: [], secrets: [] },
    next: 'next',
  });
});

it.each([
  ['that was cut', JSON.stringify(PAGE).slice(0, 90), 'cut'],
  ['of another kind', { ...PAGE, kind: 'Status' }, 'no NodeWork'],
  ['without a list', { ...PAGE, pods: undefined }, '"pods"'],
  ['of another cluster', { ...PAGE, clusterId: 'c2' }, 'cluster "c2"'],
  ['for a successor', { ...PAGE, metadata: { uid: 'u2' } }, 'another Node'],
  ['of another answer', { ...PAGE, workRevision: '8' }, 'revision'],
])('an answer %s says nothing', (_what, body, fault) => {
  const first = { revision: '7', node: PAGE.node, pods: [], configMaps: [], secrets: [] };
  expect(parseWorkPage(body, OWNER, first)).toEqual({ fault: expect.stringContaining(fault) });
});
