import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createControlStore } from '../../../shared/adapters/dynamodb/nodes/control-store.ts';
import { TABLES } from '../../../shared/adapters/dynamodb/table/schema.ts';
import { createTableAdmin } from '../../../shared/adapters/dynamodb/upkeep/dynamo-tables.ts';
import { keptTableName } from '../../../shared/adapters/dynamodb/upkeep/names.ts';
import { createRestoredRows } from '../../../shared/adapters/dynamodb/upkeep/restore/restored-control.ts';
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { createCopyingRestorer, restoreInPieces } from '../../support/stores/copying-restorer.ts';
import { cliToken } from '../support/deployment.ts';
import { dynamoOf } from '../support/inspection.ts';
import {
  type Addresses,
  asked,
  type BeatingNode,
  deployKept,
  destroyKept,
  KEPT_STACK,
  repairKept,
  startBeats,
} from '../support/kept-stack.ts';
import { eventually } from '../support/wait.ts';

/** Of a test, ms: two deploys, and an end of a stack or a restore; on a busy machine each takes minutes. */
const TEST_MS = 1_200_000;
/** How long a pod tolerates its node's taint, s: about until the restored stack is deployed. */
const TOLERATED_SECONDS = 240;
const POD = '/api/v1/namespaces/default/pods/tolerant';
const RESTORED = { state: 'kept', stateGeneration: '2' };

/** A node with a taint, and a pod on it that tolerates the taint for a while. */
const TAINTED = {
  metadata: { name: 'alive', labels: { 'topology.kubernetes.io/zone': 'z' } },
  spec: { taints: [{ key: 'drill', effect: 'NoExecute' }] },
};
const TOLERANT = {
  metadata: { name: 'tolerant' },
  spec: {
    nodeName: 'alive',
    containers: [{ name: 'c', image: 'i' }],
    tolerations: [
      { key: 'drill', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: TOLERATED_SECONDS },
    ],
  },
};

let addresses: Addresses;
let admin: string;

const get = async <T>(path: string): Promise<T> => (await asked(addresses.api, admin, path)).json<T>();
const codeOf = async (path: string): Promise<number> => (await asked(addresses.api, admin, path)).status;
const create = async <T>(path: string, body: object): Promise<T> => {
  const answer = await asked(addresses.api, admin, path, body);
  expect([path, answer.status, answer.body]).toEqual([path, 201, expect.any(String)]);
  return answer.json<T>();
};
const versionOf = ({ metadata }: Node): number => Number(metadata.resourceVersion);
const readyOf = (node: Node) => node.status?.conditions?.find(({ type }) => type === 'Ready');
const controlOf = (generation: number) => createControlStore(dynamoOf(KEPT_STACK, generation));

/** Makes a pod with a deadline, on a node that beats. Returns the beats, and the deadline's instant. */
const fill = async (): Promise<{ readonly beats: BeatingNode; readonly fireAt: EpochMs }> => {
  await create('/api/v1/nodes', TAINTED);
  const granted = await create<{ status: { token: string } }>('/apis/rollcall.dev/v1/nodes/alive/token', {});
  const beats = startBeats(addresses.heartbeats, granted.status.token, 'alive');
  await create('/api/v1/namespaces/default/pods', TOLERANT);
  const { fireAt } = await eventually('the node is Ready, and the deadline stored', TEST_MS, async () => {
    const [deadline] = await controlOf(1).deadlines([{ namespace: 'default', name: 'tolerant' }]);
    return readyOf(await get<Node>('/api/v1/nodes/alive'))?.status === 'True' && deadline;
  });
  return { beats, fireAt };
};

/** Keeps the tables as they are now; `restored` makes the next generation of them, with a kill at each step. */
const keepTables = async () => {
  const { client: documents } = dynamoOf(KEPT_STACK);
  const client = new DynamoDBClient({});
  const { keep, ...copying } = createCopyingRestorer(client, createTableAdmin(client));
  const at = Math.floor(Date.now() / 1_000) * 1_000;
  for (const table of ['objects', 'heartbeats', 'control'] as const)
    await keep(keptTableName(KEPT_STACK, table), at);
  const wait = async (): Promise<void> => {
    await sleep(500);
  };
  const deps = { ...copying, rows: createRestoredRows(documents), wait, now: Date.now };
  return { restored: () => restoreInPieces(deps, { stack: KEPT_STACK, generation: 1, at, wanted: TABLES }) };
};

const loseAnIndex = async (): Promise<void> => {
  const client = new DynamoDBClient({});
  const TableName = keptTableName(KEPT_STACK, 'control', 2);
  const GlobalSecondaryIndexUpdates = [{ Delete: { IndexName: 'deadlines' } }];
  await client.send(new UpdateTableCommand({ TableName, GlobalSecondaryIndexUpdates }));
};

/** Whether a pass over the restored tables has begun after an instant, and ended. */
const passAfter = async (at: number): Promise<boolean> =>
  ((await controlOf(2).readPass())?.completedAt ?? 0) > at;

describe('a stack whose state is kept', () => {
  it(
    'is taken over with its nodes, tokens and keys by a stack of its name, when it was deleted',
    async () => {
      addresses = await deployKept();
      admin = cliToken('--admin', '--stack', KEPT_STACK);
      const { metadata } = await create<Node>('/api/v1/nodes', { metadata: { name: 'm1' } });

      await destroyKept();
      // LocalStack drops point-in-time recovery of a template, so the tables are not what the stack needs.
      await expect(deployKept({ state: 'kept' })).rejects.toThrow(
        /rollcall aws repair --stack Rollcall-kept/,
      );
      expect(repairKept()).toContain(`${KEPT_STACK}-objects: point-in-time recovery`);
      addresses = await deployKept({ state: 'kept' });
      expect((await get<Node>('/api/v1/nodes/m1')).metadata.uid).toBe(metadata.uid);
    },
    TEST_MS,
  );

  it(
    'has after a restore what there was, at its addresses; no node that beats becomes Unknown, and no deadline is lost',
    async () => {
      const { beats, fireAt } = await fill();
      onTestFinished(beats.stop);
      const before = await get<Node>('/api/v1/nodes/alive');
      const { restored } = await keepTables();
      const { metadata: late } = await create<Node>('/api/v1/nodes', { metadata: { name: 'late' } });

      expect(await deployKept({ state: 'kept', paused: 'true' })).toEqual(addresses);
      expect(await codeOf('/api/v1/nodes')).toBe(429);
      expect(await restored()).toBeGreaterThan(3);
      await loseAnIndex();
      await expect(deployKept(RESTORED)).rejects.toThrow(/rollcall aws repair .* --generation 2/);
      repairKept('--generation', '2');
      expect(await deployKept(RESTORED)).toEqual(addresses);
      const deployedAt = Date.now();

      await eventually('a pass over the restored nodes', TEST_MS, () => passAfter(deployedAt));
      await eventually('a beat after that', TEST_MS, async () => beats.answers.at(-1) === 200);
      await eventually('one more pass', TEST_MS, () => passAfter(deployedAt + 10_000));
      const after = await get<Node>('/api/v1/nodes/alive');
      expect([after.metadata.uid, readyOf(after)?.status, readyOf(after)?.lastTransitionTime]).toEqual([
        before.metadata.uid,
        'True',
        readyOf(before)?.lastTransitionTime,
      ]);
      expect(beats.answers).toContain(429);
      expect(await codeOf('/api/v1/nodes/late')).toBe(404);
      const watched = `/api/v1/nodes?watch=1&timeoutSeconds=1&resourceVersion=${late.resourceVersion}`;
      expect((await asked(addresses.api, admin, watched)).body).toContain('"code":410');
      const newer = await create<Node>('/api/v1/nodes', { metadata: { name: 'newer' } });
      expect(versionOf(newer)).toBeGreaterThan(Number(late.resourceVersion));

      const ended = await eventually('the pod is deleted', TEST_MS, async () => {
        const { metadata } = await get<Pod>(POD);
        return metadata.deletionTimestamp === undefined ? undefined : metadata;
      });
      const graceMs = (ended.deletionGracePeriodSeconds ?? 0) * 1_000;
      // Kubernetes stores whole seconds.
      expect(Date.parse(ended.deletionTimestamp ?? '') - graceMs).toBeGreaterThan(fireAt - 1_000);
      await destroyKept();
    },
    TEST_MS,
  );
});
