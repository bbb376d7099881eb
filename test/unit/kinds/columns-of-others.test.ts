import { describe, expect, it } from 'vitest';
import { CREATED, objectWith, printed } from '../../support/objects/printed.ts';

const TEMPLATE = {
  spec: {
    containers: [
      { name: 'a', image: 'i:1' },
      { name: 'b', image: 'j:2' },
    ],
    nodeSelector: { 'kubernetes.io/os': 'linux', disk: 'ssd' },
  },
};
const SELECTOR = {
  matchLabels: { app: 'x' },
  matchExpressions: [
    { key: 'tier', operator: 'In', values: ['web', 'api'] },
    { key: 'zone', operator: 'NotIn', values: ['z'] },
    { key: 'old', operator: 'DoesNotExist' },
    { key: 'new', operator: 'Exists' },
  ],
};
const SPEC = { replicas: 3, template: TEMPLATE, selector: SELECTOR };
const SELECTED = 'app=x,new,!old,tier in (api,web),zone notin (z)';
const CONTAINERS = { Containers: 'a,b', Images: 'i:1,j:2' };

describe('a row', () => {
  it.each([
    [
      'leases.coordination.k8s.io',
      { spec: { holderIdentity: 'me' } },
      { Name: 'x', Holder: 'me', Age: '5m' },
    ],
    ['leases.coordination.k8s.io', {}, { Name: 'x', Holder: '', Age: '5m' }],
    ['namespaces', { status: { phase: 'Active' } }, { Name: 'x', Status: 'Active', Age: '5m' }],
    ['configmaps', { data: { a: '', b: '' }, binaryData: { c: '' } }, { Data: 3 }],
    ['secrets', { type: 'Opaque', data: { a: '' } }, { Type: 'Opaque', Data: 1 }],
    ['serviceaccounts', { secrets: [{ name: 's' }] }, { Secrets: 1 }],
    [
      'poddisruptionbudgets.policy',
      { spec: { minAvailable: 1 } },
      { 'Min Available': '1', 'Max Unavailable': 'N/A', 'Allowed Disruptions': 0 },
    ],
    [
      'poddisruptionbudgets.policy',
      { spec: { maxUnavailable: '25%' }, status: { disruptionsAllowed: 2 } },
      { 'Min Available': 'N/A', 'Max Unavailable': '25%', 'Allowed Disruptions': 2 },
    ],
    ['poddisruptionbudgets.policy', { spec: { minAvailable: 0 } }, { 'Min Available': '0' }],
    [
      'priorityclasses.scheduling.k8s.io',
      { value: 5, preemptionPolicy: 'Never' },
      { Value: 5, 'Global-Default': false, Age: '5m', PreemptionPolicy: 'Never' },
    ],
    ['services', { spec: { selector: { a: '1', 'a-b': '2', 'a.c': '3' } } }, { Selector: 'a-b=2,a.c=3,a=1' }],
    [
      'endpoints',
      { subsets: [{ addresses: [{ ip: 'a' }, { ip: 'b' }], ports: [{ port: 1 }, { port: 2 }] }] },
      { Endpoints: 'a:1,b:1,a:2 + 1 more...' },
    ],
    ['endpoints', { subsets: [{ addresses: [{ ip: '::1' }] }] }, { Endpoints: '::1' }],
    [
      'endpointslices.discovery.k8s.io',
      { ports: [{ port: 1 }, { name: 'p' }, {}], endpoints: [{ addresses: ['a'] }, { addresses: ['b'] }] },
      { Ports: '1,p,*', Endpoints: 'a,b' },
    ],
    ['endpointslices.discovery.k8s.io', { ports: null }, { Ports: '<unset>', Endpoints: '<unset>' }],
    [
      'resourcequotas',
      { status: { hard: { pods: '2', 'limits.cpu': '1', cpu: '3' }, used: { pods: '1' } } },
      { Request: 'cpu: 0/3, pods: 1/2', Limit: 'limits.cpu: 0/1' },
    ],
    [
      'jobs.batch',
      { spec: { parallelism: 3 }, status: { startTime: '2026-03-01T11:59:00Z', succeeded: 1 } },
      { Status: 'Running', Completions: '1/1 of 3', Duration: '60s' },
    ],
    [
      'jobs.batch',
      { spec: { completions: 2 }, status: { conditions: [{ type: 'Complete', status: 'True' }] } },
      { Status: 'Complete', Completions: '0/2', Duration: '' },
    ],
    ['cronjobs.batch', { spec: { suspend: true } }, { Suspend: 'True', Timezone: '<none>' }],
    [
      'persistentvolumes',
      {
        spec: {
          accessModes: ['ReadWriteMany', 'ReadWriteOnce'],
          capacity: { storage: '1Gi' },
          claimRef: { namespace: 'n', name: 'c' },
        },
      },
      { Capacity: '1Gi', 'Access Modes': 'RWO,RWX', Claim: 'n/c', VolumeMode: '<unset>' },
    ],
    [
      'persistentvolumeclaims',
      { spec: { volumeName: 'v' }, status: { capacity: { storage: '1Gi' }, phase: 'Bound' } },
      { Volume: 'v', Capacity: '1Gi', Status: 'Bound' },
    ],
    [
      'resourceclaims.resource.k8s.io',
      { status: { allocation: {}, reservedFor: [{}] } },
      { State: 'allocated,reserved' },
    ],
    ['resourceclaims.resource.k8s.io', {}, { State: 'pending' }],
    ['csinodes.storage.k8s.io', { spec: { drivers: [{ name: 'd' }] } }, { Drivers: 1 }],
    ['csinodes.storage.k8s.io', { spec: { drivers: null } }, { Drivers: 0 }],
    [
      'csidrivers.storage.k8s.io',
      { spec: {} },
      {
        AttachRequired: true,
        PodInfoOnMount: false,
        StorageCapacity: false,
        TokenRequests: '<unset>',
        RequiresRepublish: false,
        Modes: '<none>',
      },
    ],
    [
      'csidrivers.storage.k8s.io',
      {
        spec: {
          attachRequired: false,
          tokenRequests: [{ audience: 'a' }, { audience: 'b' }],
          volumeLifecycleModes: ['Persistent', 'Ephemeral'],
        },
      },
      { AttachRequired: false, TokenRequests: 'a,b', Modes: 'Persistent,Ephemeral' },
    ],
    [
      'volumeattachments.storage.k8s.io',
      {
        spec: { attacher: 'csi', nodeName: 'n', source: { persistentVolumeName: 'pv' } },
        status: { attached: true },
      },
      { Attacher: 'csi', PV: 'pv', Node: 'n', Attached: true },
    ],
    ['runtimeclasses.node.k8s.io', { handler: 'runsc' }, { Handler: 'runsc' }],
    ['anything.example.com', {}, { Name: 'x', 'Created At': CREATED }],
    [
      'daemonsets.apps',
      {
        spec: SPEC,
        status: {
          desiredNumberScheduled: 5,
          currentNumberScheduled: 4,
          numberReady: 3,
          updatedNumberScheduled: 2,
          numberAvailable: 1,
        },
      },
      {
        Desired: 5,
        Current: 4,
        Ready: 3,
        'Up-to-date': 2,
        Available: 1,
        'Node Selector': 'disk=ssd,kubernetes.io/os=linux',
        ...CONTAINERS,
        Selector: SELECTED,
      },
    ],
    ['daemonsets.apps', {}, { Desired: 0, 'Node Selector': '<none>', Containers: '', Selector: '<none>' }],
    [
      'replicasets.apps',
      { spec: SPEC, status: { replicas: 2, readyReplicas: 1 } },
      { Desired: 3, Current: 2, Ready: 1, ...CONTAINERS, Selector: SELECTED },
    ],
    ['statefulsets.apps', { spec: SPEC, status: { readyReplicas: 1 } }, { Ready: '1/3', ...CONTAINERS }],
    [
      'deployments.apps/scale',
      { spec: { replicas: 3 }, status: { replicas: 2 } },
      { Desired: 3, Available: 2 },
    ],
    [
      'deployments.apps',
      { spec: SPEC, status: { readyReplicas: 2, updatedReplicas: 1, availableReplicas: 2 } },
      { Ready: '2/3', 'Up-to-date': 1, Available: 2, Selector: SELECTED },
    ],
  ])('of %s: %j', (key, fields, cells) => {
    expect(printed(key, objectWith(fields))).toMatchObject(cells);
  });
});

describe('a service', () => {
  const ports = [
    { port: 80, protocol: 'TCP' },
    { port: 53, protocol: 'UDP', nodePort: 30_053 },
  ];
  const balancer = { loadBalancer: { ingress: [{ hostname: 'lb.example.com' }, { ip: '203.0.113.9' }] } };
  it.each([
    [
      { type: 'ClusterIP', clusterIPs: ['10.0.0.1', 'fd00::1'], ports, selector: { a: 'b' } },
      {},
      {
        Type: 'ClusterIP',
        'Cluster-IP': '10.0.0.1',
        'External-IP': '<none>',
        'Port(s)': '80/TCP,53:30053/UDP',
        Selector: 'a=b',
      },
    ],
    [
      { type: 'ClusterIP', clusterIP: 'None' },
      {},
      { 'Cluster-IP': 'None', 'Port(s)': '<none>', Selector: '<none>' },
    ],
    [
      { type: 'NodePort', externalIPs: ['192.0.2.1', '192.0.2.2'] },
      {},
      { 'External-IP': '192.0.2.1,192.0.2.2' },
    ],
    [{ type: 'LoadBalancer' }, {}, { 'External-IP': '<pending>' }],
    [{ type: 'LoadBalancer' }, balancer, { 'External-IP': '203.0.113.9,lb.example.com' }],
    [
      { type: 'LoadBalancer', externalIPs: ['192.0.2.1'] },
      balancer,
      { 'External-IP': '203.0.113.9,lb.example.com,192.0.2.1' },
    ],
    [
      { type: 'ExternalName', externalName: 'example.com' },
      {},
      { 'Cluster-IP': '<none>', 'External-IP': 'example.com' },
    ],
    [{}, {}, { Type: '', 'External-IP': '<unknown>' }],
  ])('%j with %j', (spec, status, cells) => {
    expect(printed('services', objectWith({ spec, status }))).toMatchObject(cells);
  });
});

describe('a zone', () => {
  const status = {
    state: 'PartialDisruption',
    nodes: 10,
    notReadyNodes: 6,
    evictionRate: 0.01,
    nextEvictionTime: '2026-03-01T12:01:40Z',
    waitingNodes: 4,
    updateTime: '2026-03-01T11:59:57Z',
    lastChangeTime: '2026-03-01T11:58:00Z',
    reason: '6 of 10 nodes are not ready, at least 55 %',
    policies: ['edge'],
  };
  it('shows its state, its rate and the time of its last pass', () => {
    expect(printed('zones.rollcall.dev', objectWith({ spec: { region: 'r', zone: 'a' }, status }))).toEqual({
      Name: 'x',
      State: 'PartialDisruption',
      Nodes: 10,
      'Not Ready': 6,
      Rate: '0.01/s',
      Waiting: 4,
      'Next Slot': 'in 100s',
      'Last Change': '2m',
      Why: '6 of 10 nodes are not ready, at least 55 %',
      Policies: 'edge',
      Updated: '3s',
      Region: 'r',
      Zone: 'a',
      'Next Eviction': '2026-03-01T12:01:40Z',
    });
  });

  it('has a rate of 0 and no next slot if nothing is evicted', () => {
    const stopped = objectWith({ status: { ...status, evictionRate: 0 } });
    expect(printed('zones.rollcall.dev', stopped)).toMatchObject({ Rate: '0', 'Next Slot': 'never' });
  });

  it('has a slot now if a token is there', () => {
    const free = objectWith({ status: { ...status, nextEvictionTime: '2026-03-01T11:00:00Z' } });
    expect(printed('zones.rollcall.dev', free)['Next Slot']).toBe('now');
  });
});
