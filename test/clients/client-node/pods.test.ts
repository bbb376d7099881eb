/** client-node on what has a namespace: pods, evictions, leases, and kinds that it finds by discovery. */
import type { CoordinationV1Api, CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/clocks/eventually.ts';
import { type Cluster, startCluster } from '../cluster.ts';
import { changed, configFrom, LIBRARIES, podBody, refusal } from './library.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());

describe.each(LIBRARIES)('client-node $generation: pods', ({ generation, library }) => {
  const namespace = `pods-${generation}`;
  let config: KubeConfig;
  let core: CoreV1Api;
  beforeAll(async () => {
    config = configFrom(library, cluster.kubeconfig);
    core = config.makeApiClient(library.CoreV1Api);
    await core.createNamespace({ body: { metadata: { name: namespace } } });
  });

  it('are created, changed and deleted', async () => {
    const name = 'crud';
    const created = await core.createNamespacedPod({ namespace, body: podBody(name) });
    expect(created.status).toMatchObject({ phase: 'Pending', qosClass: 'BestEffort' });
    const labels = { changed: generation };
    const body = changed(created, { metadata: changed(created.metadata ?? {}, { labels }) });
    expect((await core.replaceNamespacedPod({ namespace, name, body })).metadata?.labels).toEqual(labels);
    const all = await core.listPodForAllNamespaces({ labelSelector: `changed=${generation}` });
    expect(all.items.map(({ metadata }) => metadata?.namespace)).toEqual([namespace]);
    await core.deleteNamespacedPod({ namespace, name, gracePeriodSeconds: 0 });
    expect(await refusal(core.readNamespacedPod({ namespace, name }))).toMatchObject({ code: 404 });
  });

  it('are evicted, unless a budget forbids it', async () => {
    const [name, node] = ['evicted', `evicting-${generation}`];
    await cluster.addNodes([node]);
    await core.createNamespacedPod({ namespace, body: podBody(name, { app: name }, node) });
    await eventually('it runs', 10_000, async () => {
      const { status } = await core.readNamespacedPod({ namespace, name });
      return status?.phase === 'Running' || undefined;
    });
    const policy = config.makeApiClient(library.PolicyV1Api);
    const spec = { minAvailable: 1, selector: { matchLabels: { app: name } } };
    await policy.createNamespacedPodDisruptionBudget({ namespace, body: { metadata: { name }, spec } });
    const evict = () =>
      core.createNamespacedPodEviction({ namespace, name, body: { metadata: { name, namespace } } });
    const refused = await eventually('the budget has been counted', 15_000, async () => {
      const given = await refusal(evict());
      return JSON.stringify(given['details']).includes('needs 1 healthy pods') ? given : undefined;
    });
    expect(refused).toMatchObject({
      code: 429,
      reason: 'TooManyRequests',
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
    });
    await policy.deleteNamespacedPodDisruptionBudget({ namespace, name });
    await evict();
    await eventually('it is gone', 10_000, async () => {
      const { items } = await core.listNamespacedPod({ namespace });
      return items.length === 0 || undefined;
    });
  });
});

describe.each(LIBRARIES)('client-node $generation: leases', ({ generation, library }) => {
  const namespace = 'kube-node-lease';
  const name = `lease-${generation}`;
  let coordination: CoordinationV1Api;
  beforeAll(() => {
    coordination = configFrom(library, cluster.kubeconfig).makeApiClient(library.CoordinationV1Api);
  });

  it('are created, renewed and deleted, with microseconds', async () => {
    const renewTime = new library.V1MicroTime('2026-01-02T03:04:05.123Z');
    const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime };
    const created = await coordination.createNamespacedLease({
      namespace,
      body: { metadata: { name }, spec },
    });
    const later = new library.V1MicroTime('2026-01-02T03:04:15.500Z');
    const renewed = changed(created, { spec: changed(created.spec ?? {}, { renewTime: later }) });
    await coordination.replaceNamespacedLease({ namespace, name, body: renewed });
    const read = await cluster.call<{ spec: object }>(
      'GET',
      `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`,
    );
    expect(read.spec).toEqual({ ...spec, renewTime: '2026-01-02T03:04:15.500000Z' });
    expect(await coordination.deleteNamespacedLease({ namespace, name })).toMatchObject({
      status: 'Success',
    });
  });

  it('are not replaced without a resourceVersion', async () => {
    const body = { metadata: { name }, spec: { holderIdentity: name } };
    await coordination.createNamespacedLease({ namespace, body });
    const refused = await refusal(coordination.replaceNamespacedLease({ namespace, name, body }));
    expect(refused).toMatchObject({ code: 422, reason: 'Invalid' });
  });
});

describe.each(LIBRARIES)('client-node $generation: KubernetesObjectApi', ({ generation, library }) => {
  it('finds the paths of kinds by discovery', async () => {
    const api = library.KubernetesObjectApi.makeApiClient(configFrom(library, cluster.kubeconfig));
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: `object-${generation}` } };
    await api.create(node);
    await api.patch({ ...node, metadata: { ...node.metadata, labels: { generation } } });
    const read = await api.read(node);
    expect(read.metadata?.labels).toEqual({ generation });
    const metadata = changed(read.metadata ?? { name: '' }, { labels: { replaced: generation } });
    await api.replace(changed(read, { metadata }));
    const listed = await api.list(
      'v1',
      'Node',
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      `replaced=${generation}`,
    );
    expect(listed.items.map(({ metadata }) => metadata?.name)).toEqual([node.metadata.name]);
    expect(await api.delete(node)).toMatchObject({ status: 'Success' });
    expect(await refusal(api.read(node))).toMatchObject({ code: 404, reason: 'NotFound' });
  });
});
