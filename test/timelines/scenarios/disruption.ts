import { APPS, type Cluster, PODS } from '../cluster.ts';
import type { Scenario } from '../scenario.ts';

const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const NODE = 'n1';

/** What a budget asks for, by its name; the pods that it means have the label `app` with that name. */
const OF_REPLICA_SETS = {
  'r-min2': { minAvailable: 2 },
  'r-max1': { maxUnavailable: 1 },
  'r-max50': { maxUnavailable: '50%' },
  'r-min60': { minAvailable: '60%' },
  'r-max0': { maxUnavailable: 0 },
  'r-min9': { minAvailable: 9 },
  'r-max100': { maxUnavailable: '100%' },
};
const OF_STATEFUL_SETS = {
  's-max1': { maxUnavailable: 1 },
  's-max34': { maxUnavailable: '34%' },
  's-min50': { minAvailable: '50%' },
};
const OF_BARE_PODS = {
  'bare-min1': { minAvailable: 1 },
  'bare-max1': { maxUnavailable: 1 },
  'bare-min50': { minAvailable: '50%' },
};
const OF_NO_SET = {
  'odd-min1': { minAvailable: 1 },
  'odd-max1': { maxUnavailable: 1 },
  'lost-max1': { maxUnavailable: 1 },
  none: { minAvailable: 1 },
};
const ALL = {
  ...OF_REPLICA_SETS,
  'r-short': { maxUnavailable: 1 },
  ...OF_STATEFUL_SETS,
  ...OF_BARE_PODS,
  ...OF_NO_SET,
};

const selecting = (app: string): object => ({ selector: { matchLabels: { app } } });

const template = (app: string): object => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'c', image: 'img:1' }] },
});

interface Owned {
  readonly kind: 'ReplicaSet' | 'StatefulSet';
  readonly name: string;
  readonly replicas: number;
  readonly pods?: number;
  readonly ready: number;
}

/** The set is deleted and held: budgets count it, and the controllers of sets, which were off in the recording, leave its pods alone. */
const makeOwned = async (cluster: Cluster, owned: Owned): Promise<void> => {
  const { kind, name, replicas, pods = replicas, ready } = owned;
  const spec = {
    replicas: 0,
    ...selecting(name),
    template: template(name),
    ...(kind === 'StatefulSet' ? { serviceName: name } : {}),
  };
  const sets = `${APPS}/${kind.toLowerCase()}s`;
  const metadata = { name, finalizers: ['example.com/held'] };
  const made = await cluster.api.post(sets, { metadata, spec });
  await cluster.api.delete(`${sets}/${name}`, { propagationPolicy: 'Background' });
  await cluster.api.patch(`${sets}/${name}`, { spec: { replicas } });
  const { uid } = (made.body as { metadata: { uid: string } }).metadata;
  const owner = { apiVersion: 'apps/v1', kind, name, uid, controller: true };
  for (let index = 0; index < pods; index += 1)
    await cluster.addPod(`${name}-${index}`, NODE, {
      labels: { app: name },
      owner,
      ready: index < ready ? 'True' : 'False',
    });
};

const makeOthers = async (cluster: Cluster): Promise<void> => {
  for (const app of Object.keys(OF_BARE_PODS))
    for (const index of [0, 1]) await cluster.addPod(`${app}-${index}`, NODE, { labels: { app } });
  const labels = { app: 'bare-min1' };
  await cluster.addPod('bare-min1-done', NODE, { labels, phase: 'Succeeded', ready: 'False' });
  await cluster.addPod('bare-min1-pending', undefined, {
    labels,
    isPending: true,
    spec: { schedulerName: 'none' },
  });
  const nobody = { name: 'nobody', uid: '00000000-0000-4000-8000-000000000001', controller: true };
  const unknown = { ...nobody, apiVersion: 'example.com/v1', kind: 'Foo', name: 'foo' };
  for (const app of ['odd-min1', 'odd-max1'])
    await cluster.addPod(`${app}-0`, NODE, { labels: { app }, owner: unknown });
  const gone = { ...nobody, apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'nope' };
  await cluster.addPod('lost-max1-0', NODE, { labels: { app: 'lost-max1' }, owner: gone });
};

const makeBudgets = async (cluster: Cluster): Promise<void> => {
  for (const [name, wish] of Object.entries(ALL))
    await cluster.api.post(BUDGETS, { metadata: { name }, spec: { ...wish, ...selecting(name) } });
  await cluster.api.post(BUDGETS, { metadata: { name: 'no-selector' }, spec: { minAvailable: 1 } });
};

const evict = async (cluster: Cluster, name: string): Promise<void> => {
  const { status, body } = await cluster.api.post(`${PODS}/${name}/eviction`, {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace: 'default' },
  });
  const { message = '', details } = body as { message?: string; details?: { causes?: unknown } };
  cluster.fact(`evict ${name}`, [status, message, details?.causes ?? null]);
};

const budgets: Scenario = {
  watched: ['PDB', 'event'],
  tolerance: 3,
  play: async (cluster) => {
    await cluster.addNode(NODE);
    for (const name of Object.keys(OF_REPLICA_SETS))
      await makeOwned(cluster, { kind: 'ReplicaSet', name, replicas: 4, ready: 3 });
    await makeOwned(cluster, { kind: 'ReplicaSet', name: 'r-short', replicas: 4, pods: 2, ready: 2 });
    for (const name of Object.keys(OF_STATEFUL_SETS))
      await makeOwned(cluster, { kind: 'StatefulSet', name, replicas: 3, ready: 3 });
    await makeOthers(cluster);
    await cluster.pause(0.3);
    cluster.begin();
    await makeBudgets(cluster);
    await cluster.until(5);
    for (const name of ['r-min2-3', 'r-max1-3']) await cluster.setPodStatus(name);
    await cluster.until(8);
    await cluster.api.delete(`${PODS}/r-min2-0`, { gracePeriodSeconds: 60 });
    await cluster.until(11);
    for (const name of ['s-max1-0', 's-max1-1']) await evict(cluster, name);
    await cluster.until(14);
    await cluster.api.delete(`${PODS}/s-max1-0`, { gracePeriodSeconds: 0 });
    await cluster.until(16);
    await cluster.api.patch(`${APPS}/statefulsets/s-max34`, { spec: { replicas: 1 } });
    await cluster.until(18);
    await cluster.api.patch(`${BUDGETS}/r-max50`, { spec: { maxUnavailable: '25%' } });
    await cluster.until(21);
  },
};

export const DISRUPTION = { D1: budgets };
