/** A host with 10,000 nodes and 100,000 pods: its start, its heartbeats, and a fleet that beats for minutes. */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Bench, Figure } from '../figures/figures.ts';
import { quantile, spread } from '../figures/statistics.ts';
import { beatFor, beatRequests, openConnections } from './beats.ts';
import { type BenchHost, FLIPS, inHostFolder, startBenchHost } from './bench-host.ts';
import { storeHostFleet } from './stored-fleet.ts';

const NODES = 10_000;
const PODS = 100_000;
const STARTS = 3;
const CONNECTIONS = 32;
const WARM_UP_MS = 3_000;
const INTERVAL_MS = 10_000;
const SECOND_MS = 1_000;
const MB = 2 ** 20;

interface Durations {
  readonly loadMs: number;
  readonly fleetMs: number;
}

const starts = async (folder: string): Promise<Figure> => {
  const ready: number[] = [];
  for (let start = 0; start < STARTS; start += 1) {
    const host = await startBenchHost(folder);
    ready.push(host.readyMs / SECOND_MS);
    await host.kill();
  }
  const name = `start with ${NODES} nodes and ${PODS} pods stored`;
  return {
    name,
    unit: 's',
    ...spread(ready),
    target: { atMost: 3 },
    note: 'from the start of the process, after a kill',
  };
};

type Connections = Awaited<ReturnType<typeof openConnections>>;

const throughput = async (
  connections: Connections,
  requests: readonly Buffer[],
  loadMs: number,
): Promise<readonly Figure[]> => {
  await beatFor(connections, requests, WARM_UP_MS);
  const startedAt = performance.now();
  const latencies = await beatFor(connections, requests, loadMs);
  const seconds = (performance.now() - startedAt) / SECOND_MS;
  const note = `${latencies.length} beats in ${seconds.toFixed(0)} s, ${connections.length} connections`;
  return [
    {
      name: 'heartbeats over TLS',
      unit: 'beats/s',
      value: latencies.length / seconds,
      target: { atLeast: 5_000 },
      note,
    },
    { name: 'latency at that load, median', unit: 'ms', value: quantile(latencies, 0.5) },
    {
      name: 'latency at that load, p99',
      unit: 'ms',
      value: quantile(latencies, 0.99),
      target: { atMost: 20 },
    },
  ];
};

/** Every node beats once each ten seconds, evenly. Returns latencies and the host's memory (MB) by second. */
const beatEvenly = async (
  host: BenchHost,
  connections: Connections,
  requests: readonly Buffer[],
  ms: number,
) => {
  const latencies: number[] = [];
  const memory: number[] = [];
  const startedAt = performance.now();
  const rate = requests.length / INTERVAL_MS;
  let sent = 0;
  const work = async ({ send }: Connections[number]): Promise<void> => {
    while (performance.now() - startedAt < ms) {
      if (sent >= (performance.now() - startedAt) * rate) await wait(2);
      else latencies.push(await send(requests[sent++ % requests.length] as Buffer));
    }
  };
  const look = async (): Promise<void> => {
    while (performance.now() - startedAt < ms) {
      memory.push((await host.metric('process_resident_memory_bytes')) / MB);
      await wait(SECOND_MS);
    }
  };
  await Promise.all([look(), ...connections.map(work)]);
  return { latencies, memory };
};

/** The first fifth, in which the fleet is read for the first time, tells nothing of what stays. */
const growthOf = (memory: readonly number[]): number => {
  const fifth = Math.max(1, Math.floor(memory.length / 5));
  const from = memory.slice(fifth, 2 * fifth);
  return quantile(memory.slice(-fifth), 0.5) / quantile(from.length > 0 ? from : memory, 0.5);
};

const steadyFleet = async (
  host: BenchHost,
  connections: Connections,
  requests: readonly Buffer[],
  ms: number,
): Promise<readonly Figure[]> => {
  const flipsBefore = await host.metric(FLIPS);
  const cpuBefore = await host.metric('process_cpu_seconds_total');
  const { latencies, memory } = await beatEvenly(host, connections, requests, ms);
  const cpu = ((await host.metric('process_cpu_seconds_total')) - cpuBefore) / (ms / SECOND_MS);
  const flips = (await host.metric(FLIPS)) - flipsBefore;
  const name = `${NODES} nodes, a beat each 10 s, ${ms / 60_000} min`;
  return [
    { name: `${name}: false Unknown`, unit: 'nodes', value: flips, target: { atMost: 0 } },
    { name: `${name}: latency`, unit: 'ms', ...spread(latencies) },
    { name: `${name}: processor`, unit: 'cores', value: cpu, note: 'of the host, with its passes each 5 s' },
    {
      name: `${name}: memory at the end`,
      unit: 'MB',
      value: memory.at(-1) ?? 0,
      note: `at most ${Math.round(Math.max(...memory))}`,
    },
    {
      name: `${name}: growth of memory`,
      unit: '×',
      value: growthOf(memory),
      note: 'last fifth against the second',
    },
  ];
};

const measure = async (folder: string, { loadMs, fleetMs }: Durations): Promise<readonly Figure[]> => {
  await storeHostFleet(join(folder, 'state'), { nodes: NODES, pods: PODS });
  const start = await starts(folder);
  const host = await startBenchHost(folder);
  const requests = await beatRequests(folder, NODES);
  const connections = await openConnections(folder, CONNECTIONS);
  try {
    const beats = await throughput(connections, requests, loadMs);
    return [start, ...beats, ...(await steadyFleet(host, connections, requests, fleetMs))];
  } finally {
    for (const connection of connections) connection.close();
    await host.kill();
  }
};

export const hostFleet: Bench = ({ large }) => {
  const durations = large ? { loadMs: 60_000, fleetMs: 600_000 } : { loadMs: 10_000, fleetMs: 60_000 };
  return inHostFolder((folder) => measure(folder, durations));
};
