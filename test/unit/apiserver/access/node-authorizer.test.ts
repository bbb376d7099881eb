import { describe, expect, it } from 'vitest';
import type { AccessFacts, ResourceAccess } from '../../../../shared/apiserver/access/access.ts';
import { decideNodeAccess } from '../../../../shared/apiserver/access/node-authorizer.ts';
import type { Pod } from '../../../../shared/kube/types/core.ts';

const aPod = (name: string, spec: object, annotations?: Readonly<Record<string, string>>): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', ...(annotations ? { annotations } : {}) },
  spec: { nodeName: 'n1', ...spec },
});

const WORKLOAD = aPod('web', {
  serviceAccountName: 'builder',
  imagePullSecrets: [{ name: 'pull' }],
  initContainers: [{ env: [{ valueFrom: { configMapKeyRef: { name: 'env-map' } } }] }],
  containers: [
    { envFrom: [{ secretRef: { name: 'env-from' } }, { configMapRef: { name: 'env-from-map' } }] },
  ],
  ephemeralContainers: [{ env: [{ valueFrom: { secretKeyRef: { name: 'env-key' } } }] }],
  volumes: [
    { name: 'a', secret: { secretName: 'volume' } },
    { name: 'b', configMap: { name: 'volume-map' } },
    {
      name: 'c',
      projected: { sources: [{ secret: { name: 'projected' } }, { configMap: { name: 'projected-map' } }] },
    },
    { name: 'd', csi: { nodePublishSecretRef: { name: 'csi' } } },
    { name: 'e', persistentVolumeClaim: { claimName: 'claim' } },
    { name: 'f', ephemeral: {} },
  ],
});

const MIRROR = aPod(
  'mirror',
  { volumes: [{ secret: { secretName: 'of-mirror' } }] },
  { 'kubernetes.io/config.mirror': 'x' },
);

const factsWith = (fieldSelector = ''): AccessFacts => ({
  fieldSelector,
  nodeOfPod: async (_namespace, name) => ({ web: 'n1', other: 'n2' })[name],
  podsOfNode: async (node) => (node === 'n1' ? [WORKLOAD, MIRROR] : []),
  nodeOfAttachment: async (name) => ({ mine: 'n1', other: 'n2' })[name],
});

/** `get pods/eviction default/web`: verb, group/resource/subresource, namespace/name. */
const accessOf = (line: string): ResourceAccess => {
  const [verb = '', what = '', where = '/'] = line.split(' ');
  const [path = '', subresource = ''] = what.split(':');
  const slash = path.lastIndexOf('/');
  const [namespace = '', name = ''] = where.split('/');
  return {
    verb,
    group: path.slice(0, Math.max(slash, 0)),
    resource: path.slice(slash + 1),
    subresource,
    namespace,
    name,
  };
};

const decide = (line: string, selector?: string) =>
  decideNodeAccess('n1', accessOf(line), factsWith(selector));

describe('a request of a starting kubelet', () => {
  it.each([
    ['list nodes /n1', 'metadata.name=n1'],
    ['watch nodes /n1', 'metadata.name=n1'],
    ['list pods', 'spec.nodeName=n1'],
    ['watch pods', 'spec.nodeName=n1'],
    ['list services'],
    ['watch services'],
    ['list node.k8s.io/runtimeclasses'],
    ['watch storage.k8s.io/csidrivers'],
    ['create nodes'],
    ['get nodes /n1'],
    ['patch nodes:status /n1'],
    ['get storage.k8s.io/csinodes /n1'],
    ['create storage.k8s.io/csinodes'],
    ['update storage.k8s.io/csinodes /n1'],
    ['create coordination.k8s.io/leases kube-node-lease/'],
    ['get coordination.k8s.io/leases kube-node-lease/n1'],
    ['update coordination.k8s.io/leases kube-node-lease/n1'],
    ['create events default/'],
    ['patch events default/e'],
    ['create pods default/'],
    ['get pods default/web'],
    ['patch pods:status default/web'],
    ['delete pods default/web'],
    ['create pods:eviction default/web'],
    ['create serviceaccounts:token default/builder'],
    ['create authentication.k8s.io/tokenreviews'],
    ['create authorization.k8s.io/subjectaccessreviews'],
    ['get storage.k8s.io/volumeattachments /mine'],
  ])('%s is allowed', async (line, selector = '') => {
    expect(await decide(line, selector)).toEqual({ decision: 'allow' });
  });
});

describe('a request for an object to which its pods refer', () => {
  it.each([
    ...['volume', 'pull', 'env-from', 'env-key', 'projected', 'csi'].map(
      (name) => `get secrets default/${name}`,
    ),
    ...['env-map', 'env-from-map', 'volume-map', 'projected-map'].map(
      (name) => `watch configmaps default/${name}`,
    ),
    'get persistentvolumeclaims default/claim',
    'get persistentvolumeclaims default/web-f',
    'patch persistentvolumeclaims:status default/claim',
    'get serviceaccounts default/builder',
  ])('%s is allowed', async (line) => {
    expect(await decide(line)).toEqual({ decision: 'allow' });
  });
});

const UNRELATED = "no relationship found between node 'n1' and this object";

it.each([
  ['get secrets default/unknown', UNRELATED],
  ['get secrets kube-system/volume', UNRELATED],
  ['get secrets default/of-mirror', UNRELATED],
  ['get configmaps default/volume', UNRELATED],
  ['list secrets default/', 'No Object name found'],
  ['list secrets', 'can only read namespaced object of this type'],
  ['delete secrets default/volume', 'can only read resources of this type'],
  ['get configmaps:status default/volume-map', 'cannot read subresource'],
  ['list persistentvolumeclaims default/', 'can only get individual resources of this type'],
  ['get pods default/other', UNRELATED],
  ['get pods default/missing', UNRELATED],
  ['list pods', 'can only list/watch pods with spec.nodeName field selector'],
  ['update pods default/web', undefined],
  ['create pods:binding default/web', undefined],
  ['get pods:log default/web', undefined],
  ['list nodes', "node 'n1' cannot read all nodes, only its own Node object"],
  ['get nodes /n2', "node 'n1' cannot read 'n2', only its own Node object"],
  ['delete nodes /n1', undefined],
  ['create serviceaccounts:token default/default', UNRELATED],
  ['create serviceaccounts default/', 'can only create tokens for individual service accounts'],
  ['create serviceaccounts:scale default/builder', 'can only create token subresource of serviceaccount'],
  [
    'list coordination.k8s.io/leases kube-node-lease/',
    'can only get, create, update, patch, or delete a node lease',
  ],
  [
    'get coordination.k8s.io/leases default/n1',
    'can only access leases in the "kube-node-lease" system namespace',
  ],
  [
    'get coordination.k8s.io/leases kube-node-lease/n2',
    'can only access node lease with the same name as the requesting node',
  ],
  ['list storage.k8s.io/csinodes', 'can only get, create, update, patch, or delete a CSINode'],
  ['get storage.k8s.io/csinodes /n2', 'can only access CSINode with the same name as the requesting node'],
  ['get storage.k8s.io/volumeattachments /other', UNRELATED],
  ['list storage.k8s.io/volumeattachments', 'can only get individual resources of this type'],
  ['create rollcall.dev/nodes:heartbeat /n2', "node 'n1' can only use its own heartbeat"],
  ['create services default/', undefined],
  ['delete events default/e', undefined],
])('%s is not allowed: %s', async (line, why) => {
  expect(await decide(line)).toEqual({ decision: 'noOpinion', ...(why === undefined ? {} : { why }) });
});

it('a node without a name may do nothing', async () => {
  expect(await decideNodeAccess('', accessOf('list services'), factsWith())).toEqual({
    decision: 'noOpinion',
    why: 'unknown node for user "system:node:"',
  });
});
