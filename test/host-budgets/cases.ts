/** The writes whose counts have budgets: what nodes, the scheduler and operators write most. */
import type { Pod } from '../../shared/kube/types/core.ts';
import type { ApiObject } from '../../shared/kube/types/meta.ts';
import type { BudgetHost } from './budget-host.ts';

const NODES = '/api/v1/nodes';
const PODS = '/api/v1/namespaces/default/pods';
const EVENTS = '/api/v1/namespaces/default/events';
const CSI_NODES = '/apis/storage.k8s.io/v1/csinodes';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

/** Instants of the API, seconds apart. */
const instant = (second: number): string => new Date(1_767_225_600_000 + second * 1_000).toISOString();
const seconds = (second: number): string => instant(second).replace(/\.\d+Z$/, 'Z');

const nameOf = (index: number): string => `n${String(index).padStart(3, '0')}`;

const conditions = (second: number, message = 'kubelet is posting ready status') =>
  ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({
    type,
    status: type === 'Ready' ? 'True' : 'False',
    reason: 'KubeletReady',
    message,
    lastHeartbeatTime: seconds(second),
    lastTransitionTime: seconds(0),
  }));

/** About as large as a kubelet's, with the images of its pods. */
const aNode = (index: number) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: nameOf(index),
    labels: { 'kubernetes.io/hostname': nameOf(index), 'topology.kubernetes.io/zone': `zone-${index % 3}` },
  },
  status: {
    capacity: { cpu: '8', memory: '32Gi', pods: '110' },
    allocatable: { cpu: '8', memory: '32Gi', pods: '110' },
    conditions: conditions(0),
    images: Array.from({ length: 20 }, (_, image) => ({
      names: [`registry.example/team/app-${image}@sha256:${String(image).padStart(64, '0')}`],
      sizeBytes: 10_000_000 + image,
    })),
  },
});

const aPod = (index: number, schedulerName?: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: nameOf(index), labels: { app: 'web' } },
  spec: {
    ...(schedulerName !== undefined && { schedulerName }),
    terminationGracePeriodSeconds: 0,
    containers: [
      { name: 'c', image: 'registry.example/web', resources: { requests: { cpu: '10m', memory: '16Mi' } } },
    ],
  },
});

const aLease = (index: number, second: number, resourceVersion?: string) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: {
    name: nameOf(index),
    namespace: 'kube-node-lease',
    ...(resourceVersion !== undefined && { resourceVersion }),
  },
  spec: {
    holderIdentity: nameOf(index),
    leaseDurationSeconds: 40,
    renewTime: instant(second).replace('Z', '000Z'),
  },
});

const aCsiNode = (index: number) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSINode',
  metadata: { name: nameOf(index) },
  spec: { drivers: [{ name: 'disks.example', nodeID: nameOf(index), allocatable: { count: 25 } }] },
});

const anEvent = (index: number) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: `${nameOf(index)}.1`, namespace: 'default' },
  involvedObject: { kind: 'Node', name: nameOf(index), uid: nameOf(index) },
  reason: 'Starting',
  message: 'Starting kubelet.',
  type: 'Normal',
  count: 1,
  firstTimestamp: seconds(0),
  lastTimestamp: seconds(0),
  source: { component: 'kubelet', host: nameOf(index) },
});

export interface Case {
  readonly name: string;
  /** The plural of what is written. `test/architecture/budget-rows.test.ts` wants one for each that nodes or the scheduler write. */
  readonly resource: string;
  /** Done before, for each object; it is not counted. */
  readonly before?: (host: BudgetHost, index: number) => Promise<ApiObject>;
  /** `made`: what `before` has been answered. */
  readonly write: (host: BudgetHost, index: number, made: ApiObject | undefined) => Promise<ApiObject>;
  /** Rejects if the host has not done what is counted. */
  readonly after?: (host: BudgetHost, index: number) => Promise<void>;
}

/** In this order on one host: each finds what those before it have left. */
export const CASES: readonly Case[] = [
  { name: 'create-node', resource: 'nodes', write: (host, index) => host.send('POST', NODES, aNode(index)) },
  {
    name: 'status-of-node-without-change',
    resource: 'nodes',
    write: (host, index) =>
      host.send('PATCH', `${NODES}/${nameOf(index)}/status`, { status: { conditions: conditions(10) } }),
  },
  {
    name: 'status-of-node-with-change',
    resource: 'nodes',
    write: (host, index) =>
      host.send('PATCH', `${NODES}/${nameOf(index)}/status`, {
        status: { conditions: conditions(20, 'kubelet has changed') },
      }),
  },
  {
    name: 'renew-lease',
    resource: 'leases',
    before: (host, index) => host.send('POST', LEASES, aLease(index, 0)),
    write: (host, index, made) =>
      host.send('PUT', `${LEASES}/${nameOf(index)}`, aLease(index, 10, made?.metadata.resourceVersion)),
  },
  {
    name: 'create-csi-node',
    resource: 'csinodes',
    write: (host, index) => host.send('POST', CSI_NODES, aCsiNode(index)),
  },
  { name: 'event', resource: 'events', write: (host, index) => host.send('POST', EVENTS, anEvent(index)) },
  {
    name: 'create-pod',
    resource: 'pods',
    write: (host, index) => host.send('POST', PODS, aPod(index, 'another-scheduler')),
  },
  {
    name: 'delete-pod',
    resource: 'pods',
    write: (host, index) => host.send('DELETE', `${PODS}/${nameOf(index)}`),
  },
  {
    name: 'bind-pod',
    resource: 'pods',
    write: (host, index) => host.send('POST', PODS, aPod(index)),
    after: async (host, index) => {
      const pod = (await host.send('GET', `${PODS}/${nameOf(index)}`)) as Pod;
      if (pod.spec.nodeName === undefined) throw new Error(`the pod ${nameOf(index)} is not bound`);
    },
  },
  {
    name: 'delete-node',
    resource: 'nodes',
    before: (host, index) => host.send('DELETE', `${PODS}/${nameOf(index)}`, { gracePeriodSeconds: 0 }),
    write: (host, index) => host.send('DELETE', `${NODES}/${nameOf(index)}`),
  },
];

/** What a client with a watch follows. */
export const WATCHED = [NODES, '/api/v1/pods', LEASES, '/api/v1/events'].map((path) => `${path}?watch=1`);
