import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import type { ApiList } from '../../../shared/kube/types/meta.ts';
import type { NodeMaintenance } from '../../../shared/kube/types/node-maintenance.ts';
import type { PodDisruptionBudget } from '../../../shared/kube/types/policy.ts';
import { cliToken, must } from '../support/deployment.ts';
import { killFunctions } from '../support/localstack-processes.ts';
import { type Machine, startMachine } from '../support/machine.ts';
import { eventually } from '../support/wait.ts';

const NAMESPACE = '/api/v1/namespaces/default';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const MAINTENANCES = '/apis/rollcall.dev/v1/nodemaintenances';
const ZONE = 'zone-drain';
const APP = { app: 'drain-without-client' };
/** For each step: an emulator may take seconds for each request. */
const WITHIN_MS = 120_000;

const admin = cliToken('--admin');
let machine: Machine;

const send = <T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<T> =>
  must<T>({ method, path, token: admin, ...(body === undefined ? {} : { body }) });

const node = (): Promise<Node> => send('GET', '/api/v1/nodes/drain-1');
const conditionOf = ({ status }: Node, type: string) =>
  status?.conditions?.find((condition) => condition.type === type);

const podsOnNode = async (): Promise<readonly Pod[]> => {
  const { items } = await send<ApiList<Pod>>('GET', `${NAMESPACE}/pods?labelSelector=app%3D${APP.app}`);
  return items.filter(({ spec }) => spec.nodeName === 'drain-1');
};

const addPod = (name: string): Promise<unknown> =>
  send('POST', `${NAMESPACE}/pods`, {
    metadata: { name, labels: APP },
    spec: {
      nodeName: 'drain-1',
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'c', image: 'i' }],
    },
  });

const run = async (name: string): Promise<void> => {
  const path = `${NAMESPACE}/pods/${name}`;
  const pod = await send<Pod>('GET', path);
  const conditions = [{ type: 'Ready', status: 'True' }];
  const status = { ...pod.status, phase: 'Running', conditions };
  await must({ method: 'PUT', path: `${path}/status`, token: admin, body: { ...pod, status } });
};

beforeAll(async () => {
  machine = await startMachine(admin, 'drain-1', ZONE, 'lease');
});

afterAll(async () => {
  await machine.leave();
});

it('a node is drained without a client, within its budget, although its functions are killed, and then by a schedule', async () => {
  for (const name of ['drain-a', 'drain-b']) {
    await addPod(name);
    await run(name);
  }
  const budget = { metadata: { name: APP.app }, spec: { selector: { matchLabels: APP }, minAvailable: 2 } };
  await send('POST', BUDGETS, budget);
  await eventually('the budget counts its pods', WITHIN_MS, async () => {
    const { status } = await send<PodDisruptionBudget>('GET', `${BUDGETS}/${APP.app}`);
    return status?.currentHealthy === 2 ? true : undefined;
  });

  await send('POST', '/api/v1/nodes/drain-1/drain', { spec: { force: true, reason: 'test' } });
  const blocked = await eventually('the budget blocks the drain', WITHIN_MS, async () => {
    const condition = conditionOf(await node(), 'DrainInProgress');
    return condition?.reason === 'WaitingForBudgets' ? condition : undefined;
  });
  expect(blocked.message).toContain(`The disruption budget ${APP.app} needs 2 healthy pods`);
  expect(await podsOnNode()).toHaveLength(2);

  const freedAt = Date.now();
  await send('DELETE', `${BUDGETS}/${APP.app}`);
  await wait(500);
  process.stdout.write(`kill -9 of ${killFunctions('Drain')} environments of the drain\n`);
  await eventually('the node is drained', WITHIN_MS, async () =>
    conditionOf(await node(), 'Drained')?.status === 'True' ? true : undefined,
  );
  process.stdout.write(`drained on LocalStack, ${Date.now() - freedAt} ms after the budget was gone\n`);
  expect(await podsOnNode()).toEqual([]);

  await must({
    method: 'PATCH',
    path: '/api/v1/nodes/drain-1',
    token: admin,
    body: { spec: { unschedulable: null } },
    contentType: 'application/merge-patch+json',
  });
  await eventually('the drain is over', WITHIN_MS, async () =>
    conditionOf(await node(), 'Drained') === undefined ? true : undefined,
  );

  await send('POST', MAINTENANCES, {
    metadata: { name: ZONE },
    spec: {
      nodeSelector: { matchLabels: { 'topology.kubernetes.io/zone': ZONE } },
      startTime: new Date(Date.now() + 5_000).toISOString(),
      durationSeconds: 600,
      doneWhen: 'Drained',
    },
  });
  await eventually('the maintenance is done', WITHIN_MS, async () => {
    const { status } = await send<NodeMaintenance>('GET', `${MAINTENANCES}/${ZONE}`);
    return status?.done === 1 ? true : undefined;
  });
  expect((await node()).spec?.unschedulable).toBeUndefined();
  await send('DELETE', `${MAINTENANCES}/${ZONE}`);
});
