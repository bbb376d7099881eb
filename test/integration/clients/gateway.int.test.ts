import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeFleet } from '../../bench/fleet/stored-fleet.ts';
import { type Running, type RunningProxy, startProxy } from '../../support/servers/proxy-process.ts';
import { hasKubectl } from '../../support/shell/kubectl.ts';
import { type CountedApi, startCountedApi } from '../support/counted-api.ts';
import { call, cliToken, must, output } from '../support/deployment.ts';
import { stores } from '../support/inspection.ts';
import { eventually } from '../support/wait.ts';
import { watchBy } from '../support/watcher.ts';

/** Longest time until a client sees a change, ms. */
const SOON_MS = 30_000;
/** Changes whose time to a client is measured. */
const CHANGES = 50;
const LARGE = 5_000;

const figures: Record<string, unknown> = {};
let api: CountedApi;
let proxy: RunningProxy;

beforeAll(async () => {
  api = await startCountedApi();
  proxy = await startProxy(api.url);
});

afterAll(async () => {
  writeFileSync('test-results/integration/gateway.json', JSON.stringify({ gateway: figures }, undefined, 2));
  await proxy.stop();
  await api.stop();
  const token = cliToken('--admin');
  for (const name of ['gw-1', 'gw-2', 'gw-3'])
    await call({ method: 'DELETE', path: `/api/v1/nodes/${name}`, token });
});

const createNode = async (name: string): Promise<void> => {
  const token = cliToken('--admin');
  const body = { apiVersion: 'v1', kind: 'Node', metadata: { name } };
  await must({ method: 'POST', path: '/api/v1/nodes', token, body });
};

const shows = (watch: Running, line: RegExp): Promise<unknown> =>
  eventually(
    `a line like ${line.source}`,
    SOON_MS,
    async () => watch.lines().some((one) => line.test(one)),
    watch.lines,
  );

if (!hasKubectl) process.stdout.write('skipped: the gateway: this machine has no kubectl\n');

describe.skipIf(!hasKubectl)('kubectl through rollcall proxy', () => {
  it('keeps watches open beyond the time limit of the API, while nodes are created, changed and deleted', async () => {
    await createNode('gw-1');
    expect(await proxy.kubectl('get', 'nodes', 'gw-1')).toMatch(/^NAME +STATUS +ROLES +AGE +VERSION\ngw-1 /);
    const watch = proxy.kubectlOn('get', 'nodes', '-w');
    const others = proxy.kubectlOn('get', 'nodes', '--watch-only', '--show-labels');
    await shows(watch, /^gw-1 /);
    await proxy.kubectl('cordon', 'gw-1');
    await shows(watch, /^gw-1 .*SchedulingDisabled/);
    await proxy.kubectl('label', 'node', 'gw-1', 'rack=r7');
    await shows(others, /^gw-1 .*rack=r7/);
    await proxy.kubectl('taint', 'node', 'gw-1', 'why=test:NoSchedule');
    await proxy.kubectl('uncordon', 'gw-1');
    expect(await proxy.kubectl('describe', 'node', 'gw-1')).toContain('why=test:NoSchedule');
    const waits = proxy.kubectl(
      'wait',
      'node/gw-1',
      '--for=jsonpath={.metadata.labels.rack}=r8',
      '--timeout=20s',
    );
    await proxy.kubectl('label', 'node', 'gw-1', 'rack=r8', '--overwrite');
    expect(await waits).toBe('node/gw-1 condition met\n');
    const deleted = proxy.kubectl('delete', 'node', 'gw-1');
    expect(await deleted).toBe('node "gw-1" deleted\n');
    await createNode('gw-2');
    await shows(watch, /^gw-2 /);
    expect([watch.process.exitCode, others.process.exitCode]).toEqual([null, null]);
    expect(api.watches('').total).toBeGreaterThan(4);
    await Promise.all([watch.stop(), others.stop()]);
  });
});

const quantile = (sorted: readonly number[], share: number): number =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN);

const spreadOf = (times: readonly number[]) => {
  const sorted = times.toSorted((a, b) => a - b);
  return {
    'p50, ms': quantile(sorted, 0.5),
    'p99, ms': quantile(sorted, 0.99),
    'max, ms': quantile(sorted, 1),
  };
};

describe('two clients of the gateway', () => {
  it('share one watch of the API and see every change', async () => {
    const token = cliToken('--admin');
    await createNode('gw-3');
    const path = '/api/v1/nodes?watch=1&fieldSelector=metadata.name%3Dgw-3';
    const clients = [await watchBy(proxy.kubeconfig, path), await watchBy(proxy.kubeconfig, path)];
    const [whole, further]: [number[], number[]] = [[], []];
    for (let count = 0; count < CHANGES; count += 1) {
      const sentAt = performance.now();
      const body = { metadata: { labels: { count: String(count) } } };
      const contentType = 'application/merge-patch+json';
      await must({ method: 'PATCH', path: '/api/v1/nodes/gw-3', token, body, contentType });
      const storedAt = performance.now();
      const came = await Promise.all(
        clients.map(({ arrivals }) =>
          eventually('the change at each client', SOON_MS, async () =>
            arrivals.find(({ object }) => object.metadata.labels?.['count'] === String(count)),
          ),
        ),
      );
      whole.push(...came.map(({ at }) => at - sentAt));
      further.push(...came.map(({ at }) => Math.max(0, at - storedAt)));
    }
    expect(api.watches('metadata.name=gw-3').most).toBe(1);
    for (const { leave } of clients) leave();
    figures['change to client with the write'] = spreadOf(whole);
    figures['change to client after its answer'] = spreadOf(further);
  });
});

const isLarge = process.env['ROLLCALL_LARGE'] === '1';
if (!isLarge) process.stdout.write('skipped: a large fleet: a measurement, with ROLLCALL_LARGE=1\n');

describe.runIf(hasKubectl && isLarge)('a large fleet', () => {
  it('is listed by kubectl through the gateway', async () => {
    await storeFleet(stores, LARGE);
    const direct = await startProxy(output('ApiUrl'));
    const took: number[] = [];
    try {
      for (let count = 0; count < 6; count += 1) {
        const startedAt = performance.now();
        const table = await direct.kubectl('get', 'nodes');
        took.push(Math.round(performance.now() - startedAt));
        expect(table.split('\n').length).toBeGreaterThan(LARGE);
      }
    } finally {
      await direct.stop();
    }
    figures[`kubectl get nodes of ${LARGE} nodes, ms`] = took;
  }, 600_000);
});
