/** Nodes with many pods whose deadlines are stored, and end, all at once, while the host has to hear others. */
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { type Host, startHost } from '../../../host/host.ts';
import { systemClock as clock } from '../../../shared/adapters/system/clock.ts';
import { createApiClient, expectOk } from '../../../shared/client/api-client.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { ObjectStore } from '../../../shared/ports/store/object-store.ts';
import { createHostLog } from '../../../shared/serving/machine/host-log.ts';
import { parseHostConfiguration } from '../../../shared/settings/host/host-configuration.ts';
import { entriesOf } from '../../support/stores/log-entries.ts';
import type { Bench, Figure } from '../figures/figures.ts';
import { spread } from '../figures/statistics.ts';
import { nodeName } from '../fleet/fleet.ts';
import { inHostFolder } from './bench-host.ts';
import { storeHostFleet } from './stored-fleet.ts';

const TAINT = 'bench.rollcall.dev/drain';
const NS_PER_MS = 1e6;
const POLL_MS = 500;
const MOST_MS = 180_000;
const RESOLUTION_MS = 5;

interface Crowd {
  readonly name: string;
  readonly nodes: number;
  readonly podsPerNode: number;
  /** Seconds. */
  readonly toleration: number;
  /** Latest deletion after its deadline (ms) that is aimed at; absent: the deadlines do not end here. */
  readonly atMostLateMs?: number;
}

const CROWDS: readonly Crowd[] = [
  { name: '10,000 pods of one node, their deadlines', nodes: 1, podsPerNode: 10_000, toleration: 3_000 },
  { name: '20 × 110 pods due at once', nodes: 20, podsPerNode: 110, toleration: 6, atMostLateMs: 2_000 },
  {
    name: '10,000 pods of one node due at once',
    nodes: 1,
    podsPerNode: 10_000,
    toleration: 12,
    atMostLateMs: 2_000,
  },
];

const sinceByNode = async (objects: ObjectStore): Promise<ReadonlyMap<string, EpochMs>> => {
  const since = new Map<string, EpochMs>();
  for await (const { value } of objects.nodeHealth())
    for (const { name, noExecute } of value) if (noExecute[0]) since.set(name, noExecute[0].since);
  return since;
};

interface Deletion {
  readonly at: EpochMs;
  readonly dueAt: EpochMs;
}

const deletionsOf = async ({ objects }: Host['state'], crowd: Crowd): Promise<readonly Deletion[]> => {
  const since = await sinceByNode(objects);
  const deletions = (await entriesOf(objects, 'pods')).filter(
    ({ object }) => object.metadata.deletionTimestamp,
  );
  return deletions.map(({ key, at }) => {
    const pod = Number(key.name.slice('web-'.length));
    return { at, dueAt: (since.get(nodeName(pod % crowd.nodes)) ?? Number.NaN) + crowd.toleration * 1_000 };
  });
};

const clientOf = ({ url, ca, adminToken }: Host) => {
  const client = createApiClient(url, ca);
  return {
    close: client.close,
    taint: (node: number) =>
      expectOk(
        client.call('PATCH', `/api/v1/nodes/${nodeName(node)}`, adminToken, {
          spec: { taints: [{ key: TAINT, effect: 'NoExecute' }] },
        }),
      ),
    metric: async (name: string): Promise<number> => {
      const text = await expectOk<string>(client.call('GET', '/metrics', adminToken));
      return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
    },
  };
};

const until = async (isDone: () => Promise<boolean>): Promise<void> => {
  const end = performance.now() + MOST_MS;
  while (!(await isDone()) && performance.now() < end) await wait(POLL_MS);
};

interface Sample {
  readonly at: EpochMs;
  /** Processor time of this thread so far, ms. */
  readonly cpuMs: number;
}

/** Processor time by the clock: on a machine that others use, too, it says what a free one would take. */
const sampleProcessor = () => {
  const samples: Sample[] = [];
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage();
    samples.push({ at: clock.now(), cpuMs: (user + system) / 1_000 });
  }, RESOLUTION_MS);
  const cpuAt = (at: EpochMs): number => samples.find((sample) => sample.at >= at)?.cpuMs ?? Number.NaN;
  return {
    stop: () => clearInterval(timer),
    between: (from: EpochMs, to: EpochMs): number => cpuAt(to) - cpuAt(from),
    longest: (): number =>
      samples.reduce((most, { cpuMs }, n) => Math.max(most, cpuMs - (samples[n - 1]?.cpuMs ?? cpuMs)), 0),
  };
};

interface Course {
  readonly longestStallMs: number;
  /** Most processor time between two turns of a timer. */
  readonly longestTurnMs: number;
  /** Processor time from the deadlines to the last deletion. */
  readonly cpuMs: number;
  readonly storedAfterMs: number;
  readonly lateness: readonly number[];
}

const watchCrowd = async (host: Host, crowd: Crowd): Promise<Course> => {
  const client = clientOf(host);
  const pods = crowd.nodes * crowd.podsPerNode;
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const processor = sampleProcessor();
  delay.enable();
  const startedAt = performance.now();
  for (let node = 0; node < crowd.nodes; node += 1) await client.taint(node);
  await until(async () => (await client.metric('taint_eviction_controller_deadlines_stored_total')) >= pods);
  const storedAfterMs = performance.now() - startedAt;
  if (crowd.atMostLateMs !== undefined)
    await until(async () => (await client.metric('taint_eviction_controller_pod_deletions_total')) >= pods);
  delay.disable();
  processor.stop();
  client.close();
  const deletions = crowd.atMostLateMs === undefined ? [] : await deletionsOf(host.state, crowd);
  const last = deletions.reduce((latest, { at }) => Math.max(latest, at), 0);
  return {
    longestStallMs: delay.max / NS_PER_MS - RESOLUTION_MS,
    longestTurnMs: processor.longest(),
    cpuMs: processor.between(deletions[0]?.dueAt ?? 0, last),
    storedAfterMs,
    lateness: deletions.map(({ at, dueAt }) => at - dueAt),
  };
};

const figuresOf = ({ name, nodes, podsPerNode, atMostLateMs }: Crowd, course: Course): readonly Figure[] => {
  const stall: Figure = {
    name: `${name}: longest stall of the event loop`,
    unit: 'ms',
    value: course.longestStallMs,
    target: { atMost: 100 },
  };
  const turn: Figure = {
    name: `${name}: longest turn, processor time`,
    unit: 'ms',
    value: course.longestTurnMs,
    target: { atMost: 100 },
  };
  if (atMostLateMs === undefined)
    return [stall, turn, { name: `${name}: stored after`, unit: 'ms', value: course.storedAfterMs }];
  const { lateness } = course;
  const latest = lateness.reduce((most, late) => Math.max(most, late), Number.NEGATIVE_INFINITY);
  return [
    stall,
    turn,
    {
      name: `${name}: deleted`,
      unit: 'pods',
      value: lateness.length,
      target: { atLeast: nodes * podsPerNode },
    },
    { name: `${name}: after the deadline`, unit: 'ms', ...spread(lateness) },
    { name: `${name}: latest`, unit: 'ms', value: latest, target: { atMost: atMostLateMs } },
    {
      name: `${name}: latest, processor time`,
      unit: 'ms',
      value: course.cpuMs,
      target: { atMost: atMostLateMs },
      note: 'what the process worked from the deadline to the last deletion',
    },
  ];
};

const measure = (crowd: Crowd): Promise<readonly Figure[]> =>
  inHostFolder(async (folder) => {
    await storeHostFleet(join(folder, 'state'), {
      nodes: crowd.nodes,
      pods: crowd.nodes * crowd.podsPerNode,
      toleratedKey: TAINT,
      tolerationOf: () => crowd.toleration,
    });
    // No node falls silent while it is measured.
    const settings = { folder, listen: '127.0.0.1:0', nodeMonitorGracePeriod: 3_600 };
    const hostLog = createHostLog({ format: 'text', clock, write: () => undefined });
    const host = await startHost(parseHostConfiguration(settings), hostLog);
    try {
      return figuresOf(crowd, await watchCrowd(host, crowd));
    } finally {
      await host.stop();
    }
  });

export const hostCrowdedNodes: Bench = async () => {
  const figures: Figure[] = [];
  for (const crowd of CROWDS) figures.push(...(await measure(crowd)));
  return figures;
};
