import { expect, it } from 'vitest';
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import { eventually } from '../../support/clocks/eventually.ts';
import type { HostProcess } from '../../support/servers/host-process.ts';
import { addReadyNode, newFolder, startPatientHost } from '../../support/servers/patient-host.ts';

const NODES = '/api/v1/nodes';
const AMOUNTS = { cpu: '64', memory: '64Gi', pods: '110' };
const REPLICAS = 12;
const APP = { matchLabels: { app: 'web' } };
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';

const addWorkload = async (host: HostProcess): Promise<void> => {
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: { terminationGracePeriodSeconds: 600, containers: [{ name: 'c', image: 'img' }] },
  };
  const spec = { replicas: REPLICAS, selector: APP, template };
  await host.send('POST', '/apis/apps/v1/namespaces/default/replicasets', {
    metadata: { name: 'web' },
    spec,
  });
  await host.send('POST', BUDGETS, { metadata: { name: 'web' }, spec: { selector: APP, maxUnavailable: 2 } });
};

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;

const READY = [{ type: 'Ready', status: 'True' }];

/** What the kubelets do once: bound pods run, pods that are being deleted have stopped. */
const kubelets = async (host: HostProcess): Promise<readonly Pod[]> => {
  const pods = await host.pods();
  for (const pod of pods) {
    const path = `/api/v1/namespaces/default/pods/${pod.metadata.name}`;
    if (pod.metadata.deletionTimestamp !== undefined)
      await host.send('DELETE', path, { gracePeriodSeconds: 0 });
    else if (pod.spec.nodeName !== undefined && !isReady(pod))
      await host.send('PUT', `${path}/status`, {
        ...pod,
        status: { ...pod.status, phase: 'Running', conditions: READY },
      });
  }
  return pods;
};

const conditionOf = async (host: HostProcess, type: string): Promise<string | undefined> =>
  (await host.get<Node>(`${NODES}/n1`)).status?.conditions?.find((one) => one.type === type)?.status;

it('empties a node within its budget although the host is killed in the middle (E-19, E-21)', async () => {
  const folder = newFolder();
  const host = await startPatientHost(folder);
  await addReadyNode(host, 'n1', { amounts: AMOUNTS });
  await addWorkload(host);
  await eventually('all pods run on n1', 60_000, async () => {
    const pods = await kubelets(host);
    return pods.length === REPLICAS && pods.every(isReady);
  });
  await addReadyNode(host, 'n2', { amounts: AMOUNTS });
  await host.send('POST', `${NODES}/n1/drain`, { spec: { reason: 'kernel' } });
  await eventually('the first pods go', 30_000, async () =>
    (await host.pods()).some(({ metadata }) => metadata.deletionTimestamp !== undefined),
  );
  expect(await conditionOf(host, 'Drained')).not.toBe('True');
  await host.kill();

  const again = await startPatientHost(folder);
  await eventually('the node is drained', 150_000, async () => {
    const pods = await kubelets(again);
    const serving = pods.filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined);
    expect(serving.length).toBeGreaterThanOrEqual(REPLICAS - 2);
    return (await conditionOf(again, 'Drained')) === 'True';
  });
  expect((await again.pods()).filter(({ spec }) => spec.nodeName === 'n1')).toEqual([]);
  expect(await conditionOf(again, 'DrainInProgress')).toBe('False');
}, 300_000);
