/** A node joins a fleet whose DaemonSets have a pod on each node: how long the host's event loop is held meanwhile. */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createGroupCommit } from '../../../host/folder/group-commit.ts';
import { type Host, startHost } from '../../../host/host.ts';
import { openSqliteState } from '../../../shared/adapters/sqlite/state.ts';
import { systemClock as clock } from '../../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../../shared/adapters/system/id-source.ts';
import { createApiClient, expectOk } from '../../../shared/client/api-client.ts';
import type { Workload } from '../../../shared/kube/types/workloads.ts';
import { createHostLog } from '../../../shared/serving/machine/host-log.ts';
import { parseHostConfiguration } from '../../../shared/settings/host/host-configuration.ts';
import { createCapacityEffects } from '../../../shared/store/writer/capacity-effects.ts';
import { createObjectWriter } from '../../../shared/store/writer/object-writer.ts';
import type { Bench, Figure } from '../figures/figures.ts';
import { aReadyNode, storeDaemonFleet } from '../fleet/daemon-fleet.ts';
import { inHostFolder } from './bench-host.ts';
import { watched } from './watched.ts';

const NODES = 5_000;
const SETS = 3;
const AT_ONCE = 256;
/** After the first looks: the resync and the scheduler's picture are over by then. */
const QUIET_MS = 10_000;
const IDLE_MS = 5_000;
const POLL_MS = 200;
const MOST_MS = 120_000;
const TARGET_MS = 100;

const store = async (folder: string): Promise<void> => {
  const state = openSqliteState({ folder, clock });
  const objects = { ...state.objects, commit: createGroupCommit(state.commitTogether).patient };
  const capacityEffects = createCapacityEffects(state.capacity);
  await storeDaemonFleet(
    createObjectWriter({ ...state, objects, clock, ids, capacityEffects }),
    NODES,
    SETS,
    AT_ONCE,
  );
  // The host does not route what was stored before it starts: it would do so for minutes.
  state.discardChanges();
  state.checkpoint();
  state.close();
};

const until = async (isDone: () => Promise<boolean>): Promise<void> => {
  const end = performance.now() + MOST_MS;
  while (!(await isDone()) && performance.now() < end) await wait(POLL_MS);
};

const clientOf = ({ url, ca, adminToken }: Host) => {
  const client = createApiClient(url, ca);
  const statuses = async (): Promise<readonly Workload['status'][]> => {
    const path = '/apis/apps/v1/namespaces/default/daemonsets';
    const { items } = await expectOk<{ readonly items: readonly Workload[] }>(
      client.call('GET', path, adminToken),
    );
    return items.map(({ status }) => status);
  };
  return {
    close: client.close,
    join: (index: number) => expectOk(client.call('POST', '/api/v1/nodes', adminToken, aReadyNode(index))),
    /** Whether the status of each DaemonSet shows pods on so many nodes. */
    haveScheduled: async (nodes: number): Promise<boolean> =>
      (await statuses()).every((status) => status?.['currentNumberScheduled'] === nodes),
  };
};

const measure = async (host: Host): Promise<readonly Figure[]> => {
  const client = clientOf(host);
  await until(() => client.haveScheduled(NODES));
  await wait(QUIET_MS);
  const idle = await watched(() => wait(IDLE_MS));
  const joined = await watched(async () => {
    await client.join(NODES);
    await until(() => client.haveScheduled(NODES + 1));
  });
  client.close();
  const atMost = { target: { atMost: TARGET_MS } };
  return [
    { name: 'node joins: until the status of 3 DaemonSets shows its pods', unit: 'ms', value: joined.ms },
    { name: 'processor time of the host meanwhile', unit: 'ms', value: joined.cpuMs },
    { name: 'longest turn meanwhile, processor time', unit: 'ms', value: joined.turnMs, ...atMost },
    { name: 'longest stall meanwhile, wall time', unit: 'ms', value: joined.stallMs },
    { name: 'longest turn of an idle host, processor time', unit: 'ms', value: idle.turnMs },
    { name: 'longest stall of an idle host, wall time', unit: 'ms', value: idle.stallMs },
  ];
};

/** DaemonSets on a host with many nodes. */
export const hostDaemonSets: Bench = () =>
  inHostFolder(async (folder) => {
    await store(join(folder, 'state'));
    const settings = { folder, listen: '127.0.0.1:0', nodeMonitorGracePeriod: 3_600 };
    const hostLog = createHostLog({ format: 'text', clock, write: () => undefined });
    const host = await startHost(parseHostConfiguration(settings), hostLog);
    try {
      return await measure(host);
    } finally {
      await host.stop();
    }
  });
