import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import type { Hold, HoldSpec } from '../../../shared/kube/types/hold.ts';
import { call, cliToken, must } from '../support/deployment.ts';
import { type Machine, startMachine } from '../support/machine.ts';
import { eventually } from '../support/wait.ts';

const HOLDS = '/apis/rollcall.dev/v1/holds';
const PODS = '/api/v1/namespaces/default/pods';
const NODE = '/api/v1/nodes/hold-1';
/** For what follows from sweeps of a minute; an emulator may take seconds for each request. */
const WITHIN_MS = 200_000;

const admin = cliToken('--admin');
let machine: Machine;

const get = <T>(path: string): Promise<T> => must<T>({ method: 'GET', path, token: admin });

const hold = (name: string, spec: HoldSpec): Promise<Hold> =>
  must<Hold>({
    method: 'POST',
    path: HOLDS,
    token: admin,
    body: { metadata: { name }, spec: { zones: ['r--zone-hold'], reason: 'a trial', ...spec } },
  });

const addPod = (name: string): Promise<unknown> =>
  must({
    method: 'POST',
    path: PODS,
    token: admin,
    body: {
      metadata: { name },
      spec: { nodeName: 'hold-1', containers: [{ name: 'c', image: 'i' }] },
    },
  });

const isLeaving = async (name: string): Promise<boolean> => {
  const { status, body } = await call<Pod>({ method: 'GET', path: `${PODS}/${name}`, token: admin });
  return status === 404 || body.metadata.deletionTimestamp !== undefined;
};

const setTaint = async (): Promise<unknown> => {
  const { spec } = await get<Node>(NODE);
  const taints = [...(spec?.taints ?? []), { key: 'trial', effect: 'NoExecute' }];
  return must({
    method: 'PATCH',
    path: NODE,
    token: admin,
    contentType: 'application/merge-patch+json',
    body: { spec: { taints } },
  });
};

beforeAll(async () => {
  machine = await startMachine(admin, 'hold-1', 'zone-hold', 'lease');
  await addPod('held');
});

afterAll(async () => {
  for (const name of ['trial', 'clients'])
    await call({ method: 'DELETE', path: `${HOLDS}/${name}`, token: admin });
  await machine.leave();
});

it('a Hold is in force when its create answers, and counts its nodes soon (V-105)', async () => {
  const startedAt = performance.now();
  const made = await hold('trial', {});
  process.stdout.write(`a Hold is in force after ${Math.round(performance.now() - startedAt)} ms\n`);
  expect(made.status?.conditions).toMatchObject([{ type: 'InForce', status: 'True', reason: 'Held' }]);
  expect(made.status?.by).toBe('kubernetes-admin');
  await eventually('its nodes are counted', WITHIN_MS, async () => {
    const { status } = await get<Hold>(`${HOLDS}/trial`);
    return status?.heldNodes === 1;
  });
});

it('keeps the pods of a node that a client taints, until it is deleted (V-101, V-103)', async () => {
  await setTaint();
  await wait(30_000);
  expect(await isLeaving('held')).toBe(false);
  await must({ method: 'DELETE', path: `${HOLDS}/trial`, token: admin });
  await eventually('the pod leaves', WITHIN_MS, () => isLeaving('held'));
});

it('stops evictions by clients if it says so, and names itself (V-101)', async () => {
  await hold('clients', { stops: ['ClientEvictions'] });
  await addPod('evicted');
  const evict = () =>
    call<{ message?: string }>({
      method: 'POST',
      path: `${PODS}/evicted/eviction`,
      token: admin,
      body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'evicted' } },
    });
  const { status, body } = await evict();
  expect([status, body.message]).toEqual([
    429,
    'Cannot evict pod: held by Hold clients (kubernetes-admin): a trial',
  ]);
  await must({ method: 'DELETE', path: `${HOLDS}/clients`, token: admin });
  await eventually('the eviction is granted', WITHIN_MS, async () => (await evict()).status === 201);
});
