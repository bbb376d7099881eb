import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Pod } from '../../shared/api/core.ts';
import type { Workload } from '../../shared/api/defaults/workload.ts';
import type { PersistentVolume } from '../../shared/api/validation/persistent-volume.ts';
import type { PersistentVolumeClaim } from '../../shared/api/validation/volume-claim.ts';
import { eventually } from '../support/eventually.ts';
import { type HostProcess, startHostProcess } from './host-process.ts';

/** Nobody beats here. */
const PATIENT = ['--node-monitor-grace-period', '1h'];
const AMOUNTS = { cpu: '4', memory: '8Gi', pods: '110' };
const CORE = '/api/v1/namespaces/default';
/** Milliseconds that each step may take. */
const PATIENCE_MS = 20_000;
const VOLUMES = '/api/v1/persistentvolumes';

const start = async (): Promise<HostProcess> => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-host-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const host = await startHostProcess(folder, ...PATIENT);
  onTestFinished(() => host.kill());
  return host;
};

const addNode = async (host: HostProcess, name: string): Promise<void> => {
  const conditions = [{ type: 'Ready', status: 'True', reason: 'Test', message: 'test' }];
  const status = { capacity: AMOUNTS, allocatable: AMOUNTS, conditions };
  await host.send('POST', '/api/v1/nodes', { metadata: { name }, status });
};

const addVolume = (host: HostProcess, name: string): Promise<unknown> => {
  const spec = {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    hostPath: { path: `/mnt/${name}` },
  };
  return host.send('POST', VOLUMES, { metadata: { name }, spec });
};

const addStatefulSet = (host: HostProcess): Promise<unknown> => {
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
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

it('a StatefulSet with claims becomes ready on static volumes, which are released after it (K-100, K-101)', async () => {
  const host = await start();
  await addNode(host, 'n1');
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
  await eventually('the volume is released', PATIENCE_MS, async () => {
    const { status } = await host.get<PersistentVolume>(`${VOLUMES}/${spec?.volumeName}`);
    return status?.phase === 'Released';
  });
}, 90_000);
