import { expect, it } from 'vitest';
import type { Pod } from '../../../shared/kube/types/core.ts';
import { cliToken, must } from '../support/deployment.ts';
import { eventually } from '../support/wait.ts';

const PODS = '/api/v1/namespaces/default/pods';
const ZONE = { zone: 'scheduler-test' };
const admin = cliToken('--admin');

const addNode = (name: string) =>
  must({
    method: 'POST',
    path: '/api/v1/nodes',
    token: admin,
    body: {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: ZONE },
      status: { allocatable: { cpu: '1', memory: '1Gi', pods: '10' } },
    },
  });

const addPod = (name: string) =>
  must({
    method: 'POST',
    path: PODS,
    token: admin,
    body: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: {
        schedulerName: 'rollcall',
        nodeSelector: ZONE,
        tolerations: [{ operator: 'Exists' }],
        containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '600m' } } }],
      },
    },
  });

const readPod = (name: string) => must<Pod>({ method: 'GET', path: `${PODS}/${name}`, token: admin });

const whyPending = async (name: string) =>
  (await readPod(name)).status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message;

const WITHIN_MS = 60_000;

it('a pod without room says why, and is bound when a node joins; no node takes more than it has', async () => {
  const boundTo = (pod: string, node: string) =>
    eventually(
      `${pod} is bound to ${node}`,
      WITHIN_MS,
      async () => (await readPod(pod)).spec.nodeName === node,
    );
  const waits = (pod: string, why: RegExp) =>
    eventually(`${pod} says why it waits`, WITHIN_MS, async () => why.test((await whyPending(pod)) ?? ''));
  await addPod('sched-1');
  await waits('sched-1', /^(0\/\d+ nodes are available: |no nodes available)/);
  await addNode('sched-a');
  await boundTo('sched-1', 'sched-a');
  await addPod('sched-2');
  await waits('sched-2', /1 Insufficient cpu/);
  await addNode('sched-b');
  await boundTo('sched-2', 'sched-b');
  expect((await readPod('sched-1')).spec.nodeName).toBe('sched-a');
});
