import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Node } from '../../../shared/kube/types/core.ts';
import type { ApiList } from '../../../shared/kube/types/meta.ts';
import type { LogEntry } from '../../../shared/ports/store/change-log.ts';
import { deployStack } from '../../localstack/deploy.ts';
import { deploymentOf } from '../profile.ts';
import { awsEnvironment, cliToken, must, outputs, profile } from '../support/deployment.ts';
import { changesAfter, control } from '../support/inspection.ts';
import type { Machine } from '../support/machine.ts';
import { startMachine } from '../support/machine.ts';
import { tolerating } from '../support/tolerations.ts';
import { eventually } from '../support/wait.ts';

/** What is waited for at most, ms. */
const PATIENCE_MS = 600_000;
/** Seconds that pods tolerate the loss of their node: the first deadlines come due before and during the deploy, the last after it. */
const TOLERATED = [20, 40, 60, 80, 300];

const admin = cliToken('--admin');
const machines: Machine[] = [];
const pods = TOLERATED.map((seconds) => ({ namespace: 'default', name: `pod-${seconds}`, seconds }));

const conditionOf = ({ status }: Node): string | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready')?.status;

const nodeOf = (name: string): Promise<Node> =>
  must<Node>({ method: 'GET', path: `/api/v1/nodes/${name}`, token: admin });

const revisionOf = async (path: string): Promise<number> =>
  Number((await must<ApiList>({ method: 'GET', path, token: admin })).metadata.resourceVersion);

const untilReadyIs = (name: string, status: string): Promise<unknown> =>
  eventually(
    `${name} is Ready=${status}`,
    PATIENCE_MS,
    async () => conditionOf(await nodeOf(name)) === status,
  );

const isMarked = (entry: LogEntry, name: string): boolean =>
  entry.key.name === name && entry.object.metadata.deletionTimestamp !== undefined;

const upgraded = async () => {
  const folder = resolve('test-results/integration/upgrade');
  mkdirSync(folder, { recursive: true });
  const deployed = await deployStack(deploymentOf(profile, awsEnvironment(), folder));
  return deployed[profile.stackName];
};

beforeAll(async () => {
  for (const [index, name] of ['lives-1', 'lives-2', 'lives-3', 'lost'].entries())
    machines.push(await startMachine(admin, name, 'zone-up', index % 2 === 0 ? 'lease' : 'plain'));
  for (const { name, seconds } of pods) {
    const spec = {
      nodeName: 'lost',
      containers: [{ name: 'c', image: 'i' }],
      tolerations: tolerating(seconds),
    };
    const body = { metadata: { name }, spec };
    await must({ method: 'POST', path: '/api/v1/namespaces/default/pods', token: admin, body });
  }
  for (const { name } of machines) await untilReadyIs(name, 'True');
}, PATIENCE_MS);

afterAll(async () => {
  await Promise.all(machines.map((machine) => machine.leave()));
});

describe('a deploy over an earlier release', () => {
  it(
    'makes no living node Unknown and loses no deadline, at the same addresses and with the same tokens',
    async () => {
      const [nodesFrom, podsFrom] = [await revisionOf('/api/v1/nodes'), await revisionOf('/api/v1/pods')];
      machines.at(-1)?.silence();
      await untilReadyIs('lost', 'Unknown');
      const deadlines = await eventually('all deadlines stored', PATIENCE_MS, async () => {
        const stored = await control.deadlines(pods);
        return stored.every((deadline) => deadline !== undefined) && stored;
      });

      const after = await upgraded();
      const deployedAt = Date.now();
      expect([after?.['ApiUrl'], after?.['HeartbeatUrl']]).toEqual([
        outputs['ApiUrl'],
        outputs['HeartbeatUrl'],
      ]);
      const living = machines.slice(0, -1);
      await eventually('a beat of each living machine', PATIENCE_MS, async () =>
        living.every((machine) => machine.lastBeatAt() > deployedAt),
      );
      const marks = await eventually('all pods are deleted', PATIENCE_MS, async () => {
        const changes = await changesAfter('pods', podsFrom);
        const found = pods.map(({ name }) => changes.find((entry) => isMarked(entry, name)));
        return found.every((entry) => entry !== undefined) && found;
      });
      const late = marks.map((mark, index) => (mark?.at ?? 0) - (deadlines[index]?.fireAt ?? 0));
      process.stdout.write(`deletions after their deadlines, ms: ${late.join(', ')}\n`);
      expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
      const changes = await changesAfter('nodes', nodesFrom);
      const flips = changes.filter(({ object }) => conditionOf(object as Node) === 'Unknown');
      expect([...new Set(flips.map(({ key }) => key.name))]).toEqual(['lost']);
    },
    PATIENCE_MS,
  );

  it(
    'finds machines that are lost and come back, as before',
    async () => {
      const machine = machines[1];
      machine?.silence();
      await untilReadyIs('lives-2', 'Unknown');
      machine?.speak();
      await untilReadyIs('lives-2', 'True');
    },
    PATIENCE_MS,
  );
});
