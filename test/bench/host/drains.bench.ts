/** A hundred nodes with a hundred pods each that are drained at once: what that costs in writes, looks and seconds. */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Host, startHost } from '../../../local/host/host.ts';
import { createHostLog } from '../../../local/serving/host-log.ts';
import { systemClock as clock } from '../../../shared/adapters/system/clock.ts';
import { createApiClient, expectOk } from '../../../shared/client/api-client.ts';
import { parseHostConfiguration } from '../../../shared/config/host-configuration.ts';
import { entriesOf } from '../../support/log-entries.ts';
import type { Bench, Figure } from '../figures.ts';
import { nodeName } from '../fleet.ts';
import { inHostFolder } from './bench-host.ts';
import { storeHostFleet } from './stored-fleet.ts';

const NODES = 100;
const PODS = 10_000;
const POLL_MS = 500;
const MOST_MS = 300_000;
const KINDS = ['pods', 'nodes', 'events'] as const;

const evictedIn = async ({ state: { objects } }: Host): Promise<number> =>
  (await entriesOf(objects, 'pods')).filter(({ object }) => object.metadata.deletionTimestamp).length;

const entriesIn = async ({ state: { objects } }: Host): Promise<readonly number[]> =>
  Promise.all(KINDS.map(async (kind) => (await entriesOf(objects, kind)).length));

const drainAll = async ({ url, ca, adminToken }: Host): Promise<void> => {
  const client = createApiClient(url, ca);
  const spec = { force: true, ignoreDaemonSets: true };
  for (let node = 0; node < NODES; node += 1)
    await expectOk(client.call('POST', `/api/v1/nodes/${nodeName(node)}/drain`, adminToken, { spec }));
  client.close();
};

const watchDrains = async (host: Host): Promise<readonly Figure[]> => {
  const before = await entriesIn(host);
  const { user, system } = process.cpuUsage();
  const startedAt = performance.now();
  await drainAll(host);
  while ((await evictedIn(host)) < PODS && performance.now() - startedAt < MOST_MS) await wait(POLL_MS);
  const elapsedMs = performance.now() - startedAt;
  const spent = process.cpuUsage({ user, system });
  const evicted = await evictedIn(host);
  const after = await entriesIn(host);
  return [
    { name: 'pods evicted', unit: 'pods', value: evicted, target: { atLeast: PODS } },
    ...KINDS.map((kind, n) => ({
      ...{ name: `writes of ${kind}`, unit: 'writes', value: (after[n] ?? 0) - (before[n] ?? 0) },
    })),
    { name: 'from the first request to the last eviction', unit: 'ms', value: elapsedMs },
    { name: 'processor time meanwhile', unit: 'ms', value: (spent.user + spent.system) / 1_000 },
  ];
};

/** Host and bench in one process. Nobody stops the pods: they are marked, and their nodes wait for them. */
export const hostDrains: Bench = () =>
  inHostFolder(async (folder) => {
    await storeHostFleet(join(folder, 'state'), { nodes: NODES, pods: PODS });
    // No node falls silent while it is measured.
    const settings = { folder, listen: '127.0.0.1:0', nodeMonitorGracePeriod: 3_600 };
    const hostLog = createHostLog({ format: 'text', clock, write: () => undefined });
    const host = await startHost(parseHostConfiguration(settings), hostLog);
    try {
      return await watchDrains(host);
    } finally {
      await host.stop();
    }
  });
