/** What a beat costs a host, as a multiple of a bare `node:https` server that answers as many bytes to the same requests. */
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Bench, Figure } from '../../figures/figures.ts';
import { median, spread } from '../../figures/statistics.ts';
import { type BenchHost, inHostFolder, startBenchHost } from '../bench-host.ts';
import { storeHostFleet } from '../stored-fleet.ts';
import { answerOf, ask, clientOf, startBare } from './bare-rate.ts';
import type { BareMessage } from './bare-server.ts';
import type { ClientMessage, ClientReport } from './beat-client.ts';
import { BEAT_KINDS, type BeatKind } from './beat-requests.ts';

/** Agents and kubelets have nodes of their own. */
const NODES = 2_048;
/** Requests until Node has compiled with all its optimizations what they run; with 20,000 a host takes four times as long for each. */
const WARM_UP = { ms: 0, atLeast: 60_000 };
const SLICE_MS = 1_000;
/** Target of the ratio. A slow machine has 2.6. */
const MOST_TIMES = 1.6;
const MS = 1_000;
/** Processor time in a second of a host without requests: its passes, and what it does each second. */
const IDLE_SECONDS = 0.1;
/** Names of nodes differ in length, and an answer of a bare server has always the same. */
const NAME_BYTES = 4;

/** The servers and their client, each in a process of its own. */
interface Parties {
  readonly host: BenchHost;
  readonly bare: ChildProcess;
  readonly barePort: number;
  readonly client: ChildProcess;
}

/** One of the two servers: its processor time so far (ms), and its port if it is not the host. */
interface Server {
  readonly port?: number;
  cpuMs(): Promise<number>;
}

const serversOf = ({ host, bare, barePort }: Parties): readonly [Server, Server] => [
  { cpuMs: async () => (await host.metric('process_cpu_seconds_total')) * MS },
  {
    port: barePort,
    cpuMs: async () => (await ask<{ cpuMs: number }>(bare, 'cpu' satisfies BareMessage)).cpuMs,
  },
];

const beat = (
  { client }: Parties,
  kind: BeatKind,
  { port }: Server,
  much: Pick<ClientMessage, 'ms' | 'atLeast'>,
): Promise<ClientReport> =>
  ask(client, { kind, ...much, ...(port === undefined ? {} : { port }) } satisfies ClientMessage);

/** Processor time of one answer, ms. */
const costOf = async (parties: Parties, kind: BeatKind, server: Server): Promise<number> => {
  const before = await server.cpuMs();
  const { answers } = await beat(parties, kind, server, { ms: SLICE_MS });
  return ((await server.cpuMs()) - before) / answers;
};

/** Both servers answer as many bytes, and have compiled what they run. */
const warmUp = async (parties: Parties, kind: BeatKind): Promise<number> => {
  const [host, bare] = serversOf(parties);
  const answered = await beat(parties, kind, host, WARM_UP);
  await ask(parties.bare, { answer: answerOf(answered.sample) } satisfies BareMessage);
  const barely = await beat(parties, kind, bare, WARM_UP);
  const [bytes, bareBytes] = [answered.bytes / answered.answers, barely.bytes / barely.answers];
  if (Math.abs(bytes - bareBytes) > NAME_BYTES)
    throw new Error(`the host answers ${bytes} bytes, the bare server ${bareBytes}`);
  return Math.round(bytes);
};

/** Waits until the host has done what it does after its start: its processor time for a second is small. */
const settled = async ({ host }: Parties): Promise<void> => {
  for (let quiet = 0, last = 0; quiet < 2; ) {
    await wait(MS);
    const now = await host.metric('process_cpu_seconds_total');
    quiet = now - last < IDLE_SECONDS ? quiet + 1 : 0;
    last = now;
  }
};

const costsOf = async (parties: Parties, kind: BeatKind, rounds: number) => {
  const [host, bare] = serversOf(parties);
  const costs = { host: [] as number[], bare: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    const isHostFirst = round % 2 === 0;
    if (isHostFirst) costs.host.push(await costOf(parties, kind, host));
    costs.bare.push(await costOf(parties, kind, bare));
    if (!isHostFirst) costs.host.push(await costOf(parties, kind, host));
  }
  return costs;
};

const figuresOf = async (parties: Parties, kind: BeatKind, rounds: number): Promise<readonly Figure[]> => {
  const bytes = await warmUp(parties, kind);
  const { host, bare } = await costsOf(parties, kind, rounds);
  const ratio = median(host.map((cost, round) => cost / (bare[round] ?? Number.NaN)));
  return [
    { name: `${kind}: a bare server`, unit: 'ms CPU', ...spread(bare), note: `answers ${bytes} B` },
    { name: `${kind}: a host`, unit: 'ms CPU', ...spread(host) },
    { name: `${kind}: host against bare server`, unit: '×', value: ratio, target: { atMost: MOST_TIMES } },
  ];
};

const start = async (folder: string): Promise<Parties> => {
  await storeHostFleet(join(folder, 'state'), { nodes: NODES, pods: 0 });
  const host = await startBenchHost(folder);
  const { bare, barePort } = await startBare(folder);
  return { host, bare, barePort, client: clientOf(folder) };
};

const measure = async (folder: string, rounds: number): Promise<readonly Figure[]> => {
  const parties = await start(folder);
  try {
    const figures: Figure[] = [];
    await settled(parties);
    for (const kind of BEAT_KINDS) figures.push(...(await figuresOf(parties, kind, rounds)));
    return figures;
  } finally {
    parties.client.kill();
    parties.bare.kill();
    await parties.host.kill();
  }
};

export const hostBeatCost: Bench = ({ large }) => inHostFolder((folder) => measure(folder, large ? 30 : 8));
