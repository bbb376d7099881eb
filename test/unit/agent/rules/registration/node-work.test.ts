import { expect, it } from 'vitest';
import { parseWorkPage } from '../../../../../agent/rules/registration/node-work.ts';

const OWNER = { clusterId: 'c1', nodeUid: 'u1' };
const PAGE = {
  kind: 'NodeWork',
  metadata: { name: 'n1', uid: 'u1', continue: 'next' },
  workRevision: '7',
  clusterId: 'c1',
  node: { unschedulable: false, taints: [] },
  pods: [],
  configMaps: [],
  secrets: [],
};

const LISTS = {
  pods: [],
  configMaps: [],
  secrets: [],
  persistentVolumeClaims: [],
  persistentVolumes: [],
  runtimeClasses: [],
};

it('reads a page', () => {
  expect(parseWorkPage(PAGE, OWNER)).toEqual({
    revision: '7',
    node: PAGE.node,
    ...LISTS,
    next: 'next',
  });
});

const pod = (metadata: object = { name: 'p', uid: 'u' }) => ({ metadata, spec: { containers: [] } });

it('takes whole pods, and what they refer to', () => {
  const body = { ...PAGE, pods: [pod()], persistentVolumes: [{ metadata: { name: 'v' } }] };
  expect(parseWorkPage(body, OWNER)).toMatchObject({ pods: [pod()], persistentVolumes: [{}] });
});

it.each([
  ['that was cut', JSON.stringify(PAGE).slice(0, 90), 'cut'],
  ['of another kind', { ...PAGE, kind: 'Status' }, 'no NodeWork'],
  ['that is null', null, 'no NodeWork'],
  ['that is a page of HTML', '<html>Login</html>', 'no NodeWork'],
  ['with nothing for a pod: J-156', { ...PAGE, pods: [null] }, 'list "pods"'],
  [
    'with a pod that nobody can tell from others: J-156',
    { ...PAGE, pods: [pod({ name: 'p' })] },
    'list "pods"',
  ],
  ['with a pod without containers: J-156', { ...PAGE, pods: [{ ...pod(), spec: {} }] }, 'list "pods"'],
  ['with a ConfigMap without a name: J-156', { ...PAGE, configMaps: [{ data: {} }] }, 'list "configMaps"'],
  ['with claims that are no list', { ...PAGE, persistentVolumeClaims: {} }, '"persistentVolumeClaims"'],
  ['without a list', { ...PAGE, pods: undefined }, '"pods"'],
  ['of another cluster', { ...PAGE, clusterId: 'c2' }, 'cluster "c2"'],
  ['for a successor', { ...PAGE, metadata: { uid: 'u2' } }, 'another Node'],
  ['of another answer', { ...PAGE, workRevision: '8' }, 'revision'],
])('an answer %s says nothing', (_what, body, fault) => {
  const first = { revision: '7', node: PAGE.node, ...LISTS };
  expect(parseWorkPage(body, OWNER, first)).toEqual({ fault: expect.stringContaining(fault) });
});
