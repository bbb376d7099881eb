/** A zone of twenty nodes falls silent, and 1,000 pods go, each when its own toleration ends. */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openSqliteState } from '../../../shared/adapters/sqlite/state.ts';
import { systemClock as clock } from '../../../shared/adapters/system/clock.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { entriesOf } from '../../support/stores/log-entries.ts';
import type { Bench, Figure } from '../figures/figures.ts';
import { quantile } from '../figures/statistics.ts';
import { nodeName } from '../fleet/fleet.ts';
import { beatFor, beatRequests, openConnections } from './beats.ts';
import { inHostFolder, startBenchHost } from './bench-host.ts';
import { storeHostFleet } from './stored-fleet.ts';

const PODS = 1_000;
/** The first node keeps beating: with all silent nobody is evicted. */
const NODES = 21;
const MOST_TOLERATION = 20;
const toleration = (pod: number): number => 1 + (pod % MOST_TOLERATION);
/** A grace period of 4 s; all nodes are tainted at once, as far as pace goes. */
const ARGS = ['--fast', '--node-eviction-rate', '10'];
const MOST_MS = 60_000;
const BEAT_MS = 1_000;

/** Milliseconds from each pod's deadline to the write of its deletion. */
const latenessIn = async (folder: string): Promise<readonly number[]> => {
  const { objects, close } = openSqliteState({ folder, clock });
  const since = new Map<string, EpochMs>();
  for await (const { value } of objects.nodeHealth())
    for (const { name, noExecute } of value) if (noExecute[0]) since.set(name, noExecute[0].since);
  const deletions = (await entriesOf(objects, 'pods')).filter(
    ({ object }) => object.metadata.deletionTimestamp,
  );
  const lateness = deletions.map(({ key, at }) => {
    const pod = Number(key.name.slice('web-'.length));
    const start = since.get(nodeName(1 + (pod % (NODES - 1)))) ?? Number.NaN;
    return at - start - toleration(pod) * 1_000;
  });
  close();
  return lateness;
};

const evictAll = async (folder: string): Promise<void> => {
  const host = await startBenchHost(folder, ...ARGS);
  const [living] = await beatRequests(folder, 1);
  const connections = await openConnections(folder, 1);
  const until = performance.now() + MOST_MS;
  while (living && performance.now() < until) {
    await beatFor(connections, [living], 1);
    if ((await host.metric('taint_eviction_controller_pod_deletions_total')) >= PODS) break;
    await wait(BEAT_MS);
  }
  for (const connection of connections) connection.close();
  await host.kill();
};

const figuresOf = (lateness: readonly number[]): readonly Figure[] => {
  const name = 'deletion after the deadline';
  return [
    {
      name: 'pods deleted at their deadlines',
      unit: 'pods',
      value: lateness.length,
      target: { atLeast: PODS },
    },
    { name: `${name}, earliest`, unit: 'ms', value: Math.min(...lateness), target: { atLeast: 0 } },
    { name: `${name}, median`, unit: 'ms', value: quantile(lateness, 0.5) },
    { name: `${name}, latest`, unit: 'ms', value: Math.max(...lateness), target: { atMost: 1_000 } },
  ];
};

export const hostDeadlines: Bench = () =>
  inHostFolder(async (folder) => {
    await storeHostFleet(join(folder, 'state'), {
      nodes: NODES,
      pods: PODS,
      zoneOf: (node) => (node === 0 ? 'a' : 'b'),
      nodeOf: (pod) => 1 + (pod % (NODES - 1)),
      tolerationOf: toleration,
    });
    await evictAll(folder);
    return figuresOf(await latenessIn(join(folder, 'state')));
  });
