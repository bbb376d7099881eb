import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { type Deployment, deployStack, destroyStack } from '../../localstack/deploy.ts';
import { request } from '../../localstack/function-url.ts';
import { REAL } from '../profile.ts';
import { awsEnvironment, cliToken } from '../support/deployment.ts';

/** A cluster of its own, whose state is kept as it is by default. */
const CLUSTER = 'kept';
const STACK = `Rollcall-${CLUSTER}`;

/** Two deploys and two ends of a stack, ms: on a busy machine each takes minutes. */
const TEST_MS = 1_200_000;

const deploymentWith = (context: Readonly<Record<string, string>>): Deployment => {
  const folder = resolve('test-results/integration/kept');
  mkdirSync(folder, { recursive: true });
  return {
    app: 'node cdk/app.ts',
    stackNames: [STACK],
    // No machine beats here: with Kubernetes' own periods there are fewer passes.
    context: { ...REAL.context, clusterId: CLUSTER, removalPolicy: 'retain', ...context },
    env: awsEnvironment(),
    outputsFile: `${folder}/outputs.json`,
  };
};

const deployed = async (context: Readonly<Record<string, string>> = {}): Promise<string> => {
  const outputs = await deployStack(deploymentWith(context));
  return (outputs[STACK]?.['ApiUrl'] ?? '').replace(/\/$/, '');
};

/** What the command prints. */
const repaired = (): string =>
  execFileSync(resolve('node_modules/.bin/node'), ['cli/rollcall.js', 'aws', 'repair', '--stack', STACK], {
    encoding: 'utf8',
  });

it(
  'a stack with the name of a deleted stack takes over its nodes, tokens and keys',
  async () => {
    const first = await deployed();
    const token = cliToken('--admin', '--stack', STACK);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ metadata: { name: 'm1' } });
    const created = await request({ url: first, method: 'POST', path: '/api/v1/nodes', headers, body });
    expect(created.status).toBe(201);
    const { uid } = JSON.parse(created.body).metadata;

    await destroyStack(deploymentWith({}));
    // LocalStack drops point-in-time recovery of a template, so the tables are not what the stack needs.
    await expect(deployed({ state: 'kept' })).rejects.toThrow(/rollcall aws repair --stack Rollcall-kept/);
    expect(repaired()).toContain(`${STACK}-objects: point-in-time recovery`);
    const second = await deployed({ state: 'kept' });
    const found = await request({ url: second, method: 'GET', path: '/api/v1/nodes/m1', headers });
    expect([found.status, JSON.parse(found.body).metadata.uid]).toEqual([200, uid]);
    await destroyStack(deploymentWith({ state: 'kept' }));
  },
  TEST_MS,
);
