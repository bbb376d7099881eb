import { expect, it } from 'vitest';
import type { Pod } from '../../../shared/kube/types/core.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../shared/kube/types/storage.ts';
import type { Workload } from '../../../shared/kube/types/workloads.ts';
import { eventually } from '../../support/clocks/eventually.ts';
import type { HostProcess } from '../../support/servers/host-process.ts';
import { addReadyNode, newFolder, startPatientHost } from '../../support/servers/patient-host.ts';

const CORE = '/api/v1/namespaces/default';
/** Milliseconds that each step may take. */
const PATIENCE_MS = 20_000;
const VOLUMES = '/api/v1/persistentvolumes';

const addVolume = (host: HostProcess, name: string, more: object = {}): Promise<unknown> => {
  const spec = {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    hostPath: { path: `/mnt/${name}` },
    ...more,
  };
  return host.send('POST', VOLUMES, { metadata: { name }, spec });
};

const addStatefulSet = (host: HostProcess, ofClaims: object = {}): Promise<unknown> => {
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...ofClaims };
  const spec = {
    replicas: 2,
    serviceName: 'db',
    selector: { matchLabels: { app: 'db' } },
    template: {
      metadata: { labels: { app: 'db' } },
      spec: {
        containers: [{ name: 'c', image: 'img', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      },
    },
    volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }],
  };
  return host.send('POST', '/apis/apps/v1/namespaces/default/statefulsets', {
    metadata: { name: 'db' },
    spec,
  });
};

/** What a kubelet writes once the pod's containers are ready. */
const makeReady = async (host: HostProcess, name: string): Promise<void> => {
  const pod = await host.get<Pod>(`${CORE}/pods/${name}`);
  const status = { ...pod.status, phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  await host.send('PUT', `${CORE}/pods/${name}/status`, { ...pod, status });
};

const removePod = (host: HostProcess, name: string): Promise<unknown> =>
  host.send('DELETE', `${CORE}/pods/${name}?gracePeriodSeconds=0`);

const CLASSES = '/apis/storage.k8s.io/v1/storageclasses';
const LATE = { volumeBindingMode: 'WaitForFirstConsumer' };

const addClass = (host: HostProcess, name: string, provisioner: string): Promise<unknown> =>
  host.send('POST', CLASSES, { metadata: { name }, provisioner, ...LATE });

const onNode = (node: string) => ({
  storageClassName: 'local',
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }],
    },
  },
});

const nodeOf = async (host: HostProcess, name: string): Promise<string | undefined> =>
  (await host.pods()).find(({ metadata }) => metadata.name === name)?.spec.nodeName;

it('a StatefulSet with claims becomes ready on static volumes, which are released after it (K-100, K-101)', async () => {
  const host = await startPatientHost(newFolder());
  await addReadyNode(host, 'n1');
  for (const name of ['v1', 'v2']) await addVolume(host, name);
  await addStatefulSet(host);
  for (const name of ['db-0', 'db-1']) {
    await eventually('the pod is bound', PATIENCE_MS, async () =>
      (await host.pods()).some(({ metadata, spec }) => metadata.name === name && spec.nodeName === 'n1'),
    );
    const claim = await host.get<PersistentVolumeClaim>(`${CORE}/persistentvolumeclaims/data-${name}`);
    expect(claim.status).toMatchObject({ phase: 'Bound', capacity: { storage: '1Gi' } });
    await makeReady(host, name);
  }
  await eventually('the StatefulSet is ready', PATIENCE_MS, async () => {
    const { status } = await host.get<Workload>('/apis/apps/v1/namespaces/default/statefulsets/db');
    return status?.['readyReplicas'] === 2;
  });
  const { spec } = await host.get<PersistentVolumeClaim>(`${CORE}/persistentvolumeclaims/data-db-1`);
  await host.send('DELETE', `${CORE}/persistentvolumeclaims/data-db-1`);
  const kept = await host.get<PersistentVolumeClaim>(`${CORE}/persistentvolumeclaims/data-db-1`);
  expect(kept.metadata.deletionTimestamp).toBeDefined();
  await host.send('DELETE', '/apis/apps/v1/namespaces/default/statefulsets/db');
  for (const name of ['db-0', 'db-1']) await removePod(host, name);
  await eventually('the volume is released', PATIENCE_MS, async () => {
    const { status } = await host.get<PersistentVolume>(`${VOLUMES}/${spec?.volumeName}`);
    return status?.phase === 'Released';
  });
}, 90_000);

it('pods of a StatefulSet go where the volumes are that were chosen for them (M-10, M-15)', async () => {
  const host = await startPatientHost(newFolder());
  await addClass(host, 'local', 'kubernetes.io/no-provisioner');
  for (const name of ['n1', 'n2', 'n3']) await addReadyNode(host, name);
  await addVolume(host, 'v2', onNode('n2'));
  await addVolume(host, 'v3', onNode('n3'));
  await addStatefulSet(host, { storageClassName: 'local' });
  const nodes: string[] = [];
  for (const name of ['db-0', 'db-1']) {
    await eventually('the pod is bound', PATIENCE_MS, async () => (await nodeOf(host, name)) !== undefined);
    nodes.push((await nodeOf(host, name)) ?? '');
    await makeReady(host, name);
  }
  expect(nodes.toSorted()).toEqual(['n2', 'n3']);
}, 90_000);

it('a pod that waits for its volume is bound after a kill of the host, where the volume was to be made (M-16)', async () => {
  const folder = newFolder();
  const first = await startPatientHost(folder);
  await addClass(first, 'made', 'csi.example.com');
  for (const name of ['n1', 'n2']) await addReadyNode(first, name);
  await addStatefulSet(first, { storageClassName: 'made' });
  const path = `${CORE}/persistentvolumeclaims/data-db-0`;
  const selectedOn = async (host: HostProcess): Promise<string | undefined> =>
    (await host.get<PersistentVolumeClaim>(path)).metadata?.annotations?.[
      'volume.kubernetes.io/selected-node'
    ];
  await eventually('a node is chosen', PATIENCE_MS, async () => (await selectedOn(first)) !== undefined);
  await first.kill();
  const host = await startPatientHost(folder);
  const { metadata } = await host.get<PersistentVolumeClaim>(path);
  const { name, namespace, uid } = metadata;
  const claimRef = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', name, namespace, uid };
  await addVolume(host, 'pv', { storageClassName: 'made', claimRef });
  await eventually('the pod is bound', PATIENCE_MS, async () => (await nodeOf(host, 'db-0')) !== undefined);
  expect(await nodeOf(host, 'db-0')).toBe(await selectedOn(host));
}, 90_000);
