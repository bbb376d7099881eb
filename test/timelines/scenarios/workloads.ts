import { APPS, type Cluster, NODES, type NodeOptions, PODS } from '../cluster.ts';
import type { Seen } from '../history.ts';
import type { Scenario } from '../scenario.ts';

const template = (labels: object, spec: object = {}): object => ({
  metadata: { labels },
  spec: {
    automountServiceAccountToken: false,
    containers: [{ name: 'c', image: 'img:1' }],
    ...spec,
  },
});

const withImage = (image: string): object => ({
  spec: { template: { spec: { containers: [{ name: 'c', image }] } } },
});

const WEB = `${APPS}/deployments/web`;

const deployment: Scenario = {
  watched: ['Deployment', 'ReplicaSet', 'Pod', 'event'],
  // A rollout goes on when the kubelets have ended a pod: it is as late as all of them together.
  tolerance: 6,
  kubelets: {},
  play: async (cluster) => {
    const { api } = cluster;
    await cluster.addNode('n1');
    cluster.begin();
    const labels = { app: 'web' };
    const spec = { replicas: 2, selector: { matchLabels: labels }, template: template(labels) };
    await api.post(`${APPS}/deployments`, { metadata: { name: 'web' }, spec });
    await cluster.until(5);
    await api.patch(WEB, { spec: { replicas: 3 } });
    await cluster.until(9);
    await api.delete(`${PODS}/${cluster.all('Pod')[0]?.metadata.name}`);
    await cluster.until(13);
    await api.patch(WEB, withImage('img:2'), 'strategic');
    await cluster.until(20);
    await api.patch(WEB, withImage('img:1'), 'strategic');
    await cluster.until(27);
    const { spec: changed } = withImage('img:3') as { spec: object };
    await api.patch(WEB, { spec: { ...changed, paused: true } }, 'strategic');
    await cluster.until(30);
    await api.patch(WEB, { spec: { paused: false, strategy: { type: 'Recreate', rollingUpdate: null } } });
    await cluster.until(37);
  },
};

const DB = `${APPS}/statefulsets/db`;

const makeStatefulSet = async (cluster: Cluster, name: string, more: object = {}): Promise<void> => {
  const labels = { app: name };
  const spec = {
    replicas: 2,
    serviceName: name,
    selector: { matchLabels: labels },
    template: template(labels),
    ...more,
  };
  await cluster.api.post(`${APPS}/statefulsets`, { metadata: { name }, spec });
};

const statefulSet: Scenario = {
  watched: ['StatefulSet', 'Pod', 'ControllerRevision', 'event'],
  tolerance: 3,
  kubelets: {},
  play: async (cluster) => {
    const { api } = cluster;
    await cluster.addNode('n1');
    cluster.begin();
    await makeStatefulSet(cluster, 'db');
    await cluster.until(5);
    await api.delete(`${PODS}/db-0`);
    await cluster.until(10);
    await api.patch(DB, withImage('img:2'), 'strategic');
    await cluster.until(18);
    await cluster.setPodStatus('db-1', { phase: 'Failed', ready: 'False' });
    await cluster.until(24);
    await api.patch(DB, { spec: { replicas: 0 } });
    await cluster.until(29);
    const parallel = { podManagementPolicy: 'Parallel', replicas: 3, ordinals: { start: 5 } };
    await makeStatefulSet(cluster, 'par', parallel);
    await cluster.until(35);
  },
};

const taint = (key: string, effect = 'NoSchedule'): object => ({ key, effect });
const ofNode = (name: string, effect?: string): object => taint(`node.kubernetes.io/${name}`, effect);

/** By name: taints, and conditions from which just these follow. A node without conditions keeps the taints that say that it is not ready. */
const NODES_BY_NAME: Readonly<Record<string, NodeOptions>> = {
  n1: { labels: { role: 'x' } },
  cordoned: { spec: { unschedulable: true } },
  noschedule: { taints: [taint('a')] },
  noexecute: { taints: [taint('a', 'NoExecute')] },
  prefer: { taints: [taint('a', 'PreferNoSchedule')] },
  'notready-ns': { taints: [ofNode('not-ready')], conditions: {} },
  'notready-ne': { taints: [ofNode('not-ready', 'NoExecute')], conditions: {} },
  unreachable: {
    taints: [ofNode('unreachable', 'NoExecute'), ofNode('unreachable')],
    conditions: { Ready: 'Unknown' },
  },
  pressure: {
    taints: ['disk-pressure', 'memory-pressure', 'pid-pressure'].map((name) => ofNode(name)),
    conditions: { Ready: 'True', DiskPressure: 'True', MemoryPressure: 'True', PIDPressure: 'True' },
  },
  nonet: {
    taints: [ofNode('network-unavailable')],
    conditions: { Ready: 'True', NetworkUnavailable: 'True' },
  },
};

const makeDaemonSet = async (cluster: Cluster, name: string, spec: object = {}): Promise<void> => {
  const labels = { ds: name };
  await cluster.api.post(`${APPS}/daemonsets`, {
    metadata: { name },
    spec: { selector: { matchLabels: labels }, template: template(labels, spec) },
  });
};

const plainPodOn = (cluster: Cluster, node: string): string | undefined =>
  cluster
    .all('Pod')
    .find(
      ({ metadata, spec }: Seen) =>
        (metadata['labels'] as { ds?: string }).ds === 'plain' &&
        (spec as { nodeName?: string }).nodeName === node,
    )?.metadata.name;

const changeTaints = async (cluster: Cluster): Promise<void> => {
  await cluster.until(6);
  await cluster.taint('n1', [taint('new')]);
  await cluster.until(9);
  await cluster.taint('n1', [taint('new', 'NoExecute')]);
  await cluster.until(13);
  await cluster.taint('n1', null);
};

const daemonSet: Scenario = {
  watched: ['DaemonSet', 'Pod', 'ControllerRevision', 'event'],
  tolerance: 3,
  kubelets: {},
  play: async (cluster) => {
    const { api } = cluster;
    for (const [name, options] of Object.entries(NODES_BY_NAME)) await cluster.addNode(name, options);
    await cluster.pause(0.4);
    cluster.begin();
    await makeDaemonSet(cluster, 'plain');
    const ports = [{ containerPort: 9100 }];
    await makeDaemonSet(cluster, 'hostnet', {
      hostNetwork: true,
      containers: [{ name: 'c', image: 'img:1', ports }],
    });
    await makeDaemonSet(cluster, 'select', { nodeSelector: { role: 'x' } });
    await changeTaints(cluster);
    await cluster.until(17);
    await api.patch(`${NODES}/cordoned`, { metadata: { labels: { role: 'x' } } });
    await cluster.until(20);
    await api.patch(`${NODES}/n1`, { metadata: { labels: { role: null } } });
    await cluster.until(24);
    await cluster.taint('noschedule', null);
    await cluster.until(27);
    await api.delete(`${PODS}/${plainPodOn(cluster, 'prefer')}`);
    await cluster.until(31);
    cluster.live.delete('prefer');
    await api.delete(`${NODES}/prefer`);
    await cluster.until(35);
    await cluster.setPodStatus(plainPodOn(cluster, 'n1') ?? '', { phase: 'Failed', ready: 'False' });
    await cluster.until(42);
  },
};

export const WORKLOADS = { S1: daemonSet, S2: deployment, S5: statefulSet };
