import { APPS, type Cluster, PODS } from '../cluster.ts';
import type { Scenario } from '../scenario.ts';

const template = (labels: object, spec: object = {}): object => ({
  metadata: { labels },
  spec: {
    ...{ automountServiceAccountToken: false, containers: [{ name: 'c', image: 'img:1' }], ...spec },
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
  hasKubelets: true,
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
    ...{ replicas: 2, serviceName: name, selector: { matchLabels: labels }, template: template(labels) },
    ...more,
  };
  await cluster.api.post(`${APPS}/statefulsets`, { metadata: { name }, spec });
};

const statefulSet: Scenario = {
  watched: ['StatefulSet', 'Pod', 'ControllerRevision', 'event'],
  tolerance: 3,
  hasKubelets: true,
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

export const WORKLOADS = { S2: deployment, S5: statefulSet };
