import { expect, it } from 'vitest';
import type { Pod } from '../../../shared/kube/types/core.ts';
import { QUARANTINE_MS } from '../../../shared/rules/pods/pod-gc.ts';
import { eventually } from '../../support/clocks/eventually.ts';
import type { HostProcess } from '../../support/servers/host-process.ts';
import { addReadyNode, newFolder, startPatientHost } from '../../support/servers/patient-host.ts';

const NODES = '/api/v1/nodes';

const change = async <T extends object>(host: HostProcess, path: string, to: (object: T) => T) =>
  host.send('PUT', path, to(await host.get<T>(path)));

interface Fields {
  readonly spec: object;
  readonly status: object;
}

const makeStatefulSet = async (host: HostProcess): Promise<void> => {
  const template = {
    metadata: { labels: { app: 'db' } },
    spec: { terminationGracePeriodSeconds: 3_600, containers: [{ name: 'c', image: 'img' }] },
  };
  const spec = { serviceName: 'db', replicas: 1, selector: { matchLabels: { app: 'db' } }, template };
  const body = { metadata: { name: 'db' }, spec };
  await host.send('POST', '/apis/apps/v1/namespaces/default/statefulsets', body);
};

const boundPod = (host: HostProcess, isWanted: (pod: Pod) => boolean = () => true): Promise<Pod> =>
  eventually('the pod is bound', 25_000, async () =>
    (await host.pods()).find((pod) => pod.spec.nodeName !== undefined && isWanted(pod)),
  );

it('frees the name of a StatefulSet’s pod when its node is said to be out of service (K-74)', async () => {
  const host = await startPatientHost(newFolder());
  await addReadyNode(host, 'n1');
  await addReadyNode(host, 'n2');
  await makeStatefulSet(host);
  const first = await boundPod(host);
  const node = `${NODES}/${first.spec.nodeName}`;
  const conditions = [{ type: 'Ready', status: 'Unknown', reason: 'Test', message: 'test' }];
  await change<Fields>(host, `${node}/status`, (found) => ({
    ...found,
    status: { ...found.status, conditions },
  }));
  await host.send('DELETE', '/api/v1/namespaces/default/pods/db-0');
  expect((await host.pods()).map(({ metadata }) => metadata.uid)).toEqual([first.metadata.uid]);
  const taint = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' };
  await change<Fields>(host, node, (found) => ({ ...found, spec: { ...found.spec, taints: [taint] } }));
  const second = await boundPod(host, ({ metadata }) => metadata.uid !== first.metadata.uid);
  expect(second.metadata.name).toBe('db-0');
  expect(second.spec.nodeName).not.toBe(first.spec.nodeName);
  expect(await host.pods()).toHaveLength(1);
}, 60_000);

it('deletes the pods of a deleted Node although it was killed meanwhile (K-76)', async () => {
  const folder = newFolder();
  const host = await startPatientHost(folder);
  await addReadyNode(host, 'n1');
  const body = { metadata: { name: 'p' }, spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] } };
  await host.send('POST', '/api/v1/namespaces/default/pods', body);
  await host.send('DELETE', `${NODES}/n1`);
  const deletedAt = Date.now();
  await host.kill();
  const again = await startPatientHost(folder);
  expect(await again.pods()).toHaveLength(1);
  await eventually('the pod is gone', QUARANTINE_MS + 20_000, async () => (await again.pods()).length === 0);
  // Nodes are never given less.
  expect(Date.now() - deletedAt).toBeGreaterThanOrEqual(QUARANTINE_MS);
}, 90_000);
