import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Node } from '../../../shared/kube/types/core.ts';
import { deployStack } from '../../localstack/deploy.ts';
import { deploymentOf } from '../profile.ts';
import { awsEnvironment, cliToken, must, profile } from '../support/deployment.ts';
import { changesAfter } from '../support/inspection.ts';
import type { Machine } from '../support/machine.ts';
import { startMachine } from '../support/machine.ts';
import { eventually } from '../support/wait.ts';

const admin = cliToken('--admin');
const machines: Machine[] = [];

/** Milliseconds. LocalStack may stop polling a queue for a minute after the function of the queue was replaced. */
const POLLER_MS = 120_000;
/** Of the test, ms: a deploy on a busy machine takes minutes. */
const TEST_MS = 420_000;

const isUnknown = (node: Node): boolean =>
  node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'Unknown') ?? false;

/** Deploys new code for every function, as an upgrade does. */
const redeploy = async (): Promise<void> => {
  const folder = resolve('test-results/integration/redeploy');
  mkdirSync(folder, { recursive: true });
  await deployStack(deploymentOf(profile, awsEnvironment(), folder, { release: `redeployed-${Date.now()}` }));
};

beforeAll(async () => {
  machines.push(await startMachine(admin, 'up-1', 'zone-up', 'lease'));
  machines.push(await startMachine(admin, 'up-2', 'zone-up', 'plain'));
  machines.push(await startMachine(admin, 'up-3', 'zone-up', 'plain'));
});

afterAll(async () => {
  await Promise.all(machines.map((machine) => machine.leave()));
});

describe('a redeploy of all code during a grace period', () => {
  it(
    'moves no deadline and makes no living node Unknown',
    async () => {
      const [silent, ...living] = machines;
      const { metadata } = await must<{ metadata: { resourceVersion: string } }>({
        method: 'GET',
        path: '/api/v1/nodes',
        token: admin,
      });
      silent?.silence();
      const deployed = redeploy();
      const node = () => must<Node>({ method: 'GET', path: '/api/v1/nodes/up-1', token: admin });
      await eventually('the silent node Unknown', profile.graceMs + POLLER_MS, async () =>
        isUnknown(await node()),
      );
      await deployed;
      const changes = await changesAfter('nodes', Number(metadata.resourceVersion));
      const flip = changes.find(({ key, object }) => key.name === 'up-1' && isUnknown(object as Node));
      const silence = (flip?.at ?? 0) - (silent?.lastBeatAt() ?? 0);
      expect(silence).toBeGreaterThanOrEqual(profile.graceMs);
      const names = new Set(living.map(({ name }) => name));
      expect(changes.filter(({ key, object }) => names.has(key.name) && isUnknown(object as Node))).toEqual(
        [],
      );
    },
    TEST_MS,
  );
});
