/** A large fleet that beats into one host for minutes, and loses a third of its nodes at once in between. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createApiClient, expectOk } from '../../../../shared/client/api-client.ts';
import type { Node } from '../../../../shared/kube/types/core.ts';
import type { ApiList } from '../../../../shared/kube/types/meta.ts';
import { TAINT_UNREACHABLE } from '../../../../shared/kube/types/well-known.ts';
import type { Bench, Figure } from '../../figures/figures.ts';
import { quantile } from '../../figures/statistics.ts';
import { nodeName } from '../../fleet/fleet.ts';
import { type BenchHost, FLIPS, inHostFolder, startBenchHost } from '../bench-host.ts';
import { bareRate } from '../cost/bare-rate.ts';
import { storeHostFleet } from '../stored-fleet.ts';
import { type BeatingFleet, INTERVAL_SECONDS, startBeatingFleet } from './beating-fleet.ts';
import type { FleetReport } from './fleet-client.ts';

interface Plan {
  readonly nodes: number;
  readonly ms: number;
  readonly silentAfterMs: number;
}

/** Share of the rate of a bare server that is asked of a host. */
const SHARE_OF_BARE = 0.6;
const SECOND_MS = 1_000;
const MB = 2 ** 20;
const ZONE_LABEL = 'topology.kubernetes.io/zone';
const QUICK: Plan = { nodes: 5_000, ms: 120_000, silentAfterMs: 30_000 };
const LARGE: Plan = { nodes: 100_000, ms: 600_000, silentAfterMs: 300_000 };

/** Time for passes to find ready again whoever had to wait for the first beat. */
const SETTLE_MS = 12_000;

/** The beats after the start of a host, whose tokens are verified. They are not part of the run. */
const firstBeatsOf = async (fleet: BeatingFleet, { nodes }: Plan): Promise<Figure> => {
  const value = await fleet.warmUp();
  await wait(SETTLE_MS);
  return { name: `first beats of ${nodes} nodes, tokens verified`, unit: 's', value };
};

/** Runs the fleet, and looks at the host's memory (MB) each second meanwhile. */
const runFleet = async (host: BenchHost, fleet: BeatingFleet, { ms, silentAfterMs }: Plan) => {
  const memory: number[] = [];
  let isOver = false;
  const over = fleet.run({ ms, silentAfterMs }).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    memory.push((await host.metric('process_resident_memory_bytes')) / MB);
    await wait(SECOND_MS);
  }
  return { report: await over, memory };
};

const TRIES = 6;

/** The first list after an outage reads its changes, which takes longer than this client waits. The next one goes on where that has come to. */
const patiently = async <T>(work: () => Promise<T>, tries = 1): Promise<T> =>
  work().catch((error: unknown) => {
    if (tries >= TRIES) throw error;
    return patiently(work, tries + 1);
  });

/** All nodes, in pages. */
const listNodes = async (folder: string): Promise<readonly Node[]> => {
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const { url } = JSON.parse(read('host.json')) as { readonly url: string };
  const client = createApiClient(url, read('ca.crt'));
  const token = read('admin.token').trim();
  const nodes: Node[] = [];
  for (let from: string | undefined = ''; from !== undefined; ) {
    const path: string = `/api/v1/nodes?limit=500${from === '' ? '' : `&continue=${encodeURIComponent(from)}`}`;
    const page: ApiList<Node> = await patiently(() =>
      expectOk<ApiList<Node>>(client.call('GET', path, token)),
    );
    nodes.push(...page.items);
    from = page.metadata.continue || undefined;
  }
  client.close();
  return nodes;
};

const unknownSince = (node: Node): number | undefined => {
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'Unknown' ? Date.parse(ready.lastTransitionTime ?? '') : undefined;
};

/** Seconds from the last beat until Unknown, of each silent node. Instants of conditions are whole seconds. */
const delaysOf = (nodes: readonly Node[], { lastBeats }: FleetReport): readonly number[] => {
  const since = new Map(nodes.map((node) => [node.metadata.name, unknownSince(node)]));
  return lastBeats.map(
    ([node, at]) => ((since.get(nodeName(node)) ?? Number.POSITIVE_INFINITY) - at) / SECOND_MS,
  );
};

/** Seconds between two NoExecute taints of a zone that followed each other. */
const gapsOf = (nodes: readonly Node[]): readonly number[] => {
  const zones = new Map<string, number[]>();
  for (const { metadata, spec } of nodes) {
    const taint = spec?.taints?.find(
      ({ key, effect }) => key === TAINT_UNREACHABLE && effect === 'NoExecute',
    );
    const zone = metadata.labels?.[ZONE_LABEL] ?? '';
    if (taint?.timeAdded) zones.set(zone, [...(zones.get(zone) ?? []), Date.parse(taint.timeAdded)]);
  }
  return [...zones.values()].flatMap((added) => {
    const sorted = added.toSorted((a, b) => a - b);
    return sorted.slice(1).map((at, place) => (at - (sorted[place] ?? at)) / SECOND_MS);
  });
};

const beatFigures = (report: FleetReport, { nodes, ms }: Plan): readonly Figure[] => {
  const note = `latest ${Math.round(report.mostMs)} ms; sent at most ${Math.round(report.latestSentMs)} ms late`;
  return [
    { name: `${nodes} nodes, beats each 10 s`, unit: 'beats/s', value: (report.beats * SECOND_MS) / ms },
    { name: 'beats refused', unit: 'beats', value: report.refused, target: { atMost: 0 } },
    { name: 'latency, median', unit: 'ms', value: report.medianMs },
    { name: 'latency, p99', unit: 'ms', value: report.p99Ms, target: { atMost: 100 }, note },
  ];
};

const memoryFigures = (memory: readonly number[]): readonly Figure[] => {
  const fifth = Math.max(1, Math.floor(memory.length / 5));
  const growth = quantile(memory.slice(-fifth), 0.5) / quantile(memory.slice(fifth, 2 * fifth), 0.5);
  const note = `first minute ${Math.round(quantile(memory.slice(0, 60), 0.5))} MB, at most ${Math.round(Math.max(...memory))}; ${growth.toFixed(2)} × the second fifth`;
  return [{ name: 'memory of the host at the end', unit: 'MB', value: memory.at(-1) ?? 0, note }];
};

const outageFigures = (nodes: readonly Node[], report: FleetReport, flips: number): readonly Figure[] => {
  const delays = delaysOf(nodes, report);
  const gaps = gapsOf(nodes);
  const found = delays.filter(Number.isFinite).length;
  return [
    { name: 'false Unknown', unit: 'nodes', value: flips - found, target: { atMost: 0 } },
    { name: 'silent nodes not found', unit: 'nodes', value: delays.length - found, target: { atMost: 0 } },
    { name: 'last beat until Unknown, last', unit: 's', value: Math.max(...delays), target: { atMost: 46 } },
    {
      name: 'last beat until Unknown, first',
      unit: 's',
      value: Math.min(...delays),
      note: 'in whole seconds',
    },
    ...(gaps.length === 0
      ? []
      : [
          {
            name: 'gap between NoExecute taints of a zone',
            unit: 's',
            value: quantile(gaps, 0.5),
            min: Math.min(...gaps),
            target: { atLeast: 10 },
          },
        ]),
  ];
};

const measure = async (folder: string, plan: Plan): Promise<readonly Figure[]> => {
  await storeHostFleet(join(folder, 'state'), { nodes: plan.nodes, pods: 0 });
  const host = await startBenchHost(folder);
  const fleet = await startBeatingFleet(folder, plan.nodes);
  try {
    const firstBeats = await firstBeatsOf(fleet, plan);
    const flipsBefore = await host.metric(FLIPS);
    const cpuBefore = await host.metric('process_cpu_seconds_total');
    const { report, memory } = await runFleet(host, fleet, plan);
    const cores = ((await host.metric('process_cpu_seconds_total')) - cpuBefore) / (plan.ms / SECOND_MS);
    const flips = (await host.metric(FLIPS)) - flipsBefore;
    const nodes = await listNodes(folder);
    return [
      firstBeats,
      ...beatFigures(report, plan),
      { name: 'processor of the host', unit: 'cores', value: cores, note: 'with its passes each 5 s' },
      ...memoryFigures(memory),
      ...outageFigures(nodes, report, flips),
    ];
  } finally {
    fleet.stop();
    await host.kill();
  }
};

/** As many nodes as the plan has, or as many as a machine that is slow or busy can hear. */
const affordable = (plan: Plan, rate: number): Plan => ({
  ...plan,
  nodes: Math.min(plan.nodes, Math.floor(rate * SHARE_OF_BARE * INTERVAL_SECONDS)),
});

export const hostLargeFleet: Bench = async ({ large }) => {
  const rate = await bareRate();
  const plan = affordable(large ? LARGE : QUICK, rate);
  const note = `${plan.nodes} nodes beat, of which ${SHARE_OF_BARE} of it could be ${Math.floor(rate * SHARE_OF_BARE * INTERVAL_SECONDS)}`;
  const bare: Figure = {
    name: 'a bare server, with its client beside it',
    unit: 'beats/s',
    value: rate,
    note,
  };
  return [bare, ...(await inHostFolder((folder) => measure(folder, plan)))];
};
