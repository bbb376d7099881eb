/** What a relay with 10,000 machines costs its own machine, beside a bare server that gives the same answers. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import type { Bench, Figure } from '../figures/figures.ts';
import { processorMs, residentMb } from '../figures/processor-time.ts';
import type { Counted } from './control-plane.ts';
import { type BeatKind, beatEvenly, type Machine, openMachines } from './machines.ts';

const FEW = 2_000;
/** To connect them all takes minutes. */
const MANY = 10_000;
const INTERVAL_MS = 10_000;
const WARM_UP_MS = 10_000;
const LOAD_MS = 30_000;
/** Percent of a core, for 10,000 machines. */
const MOST_PERCENT = 10;

const perSecond = (machines: number): number => (1_000 * machines) / INTERVAL_MS;

/** What is measured. */
interface Site {
  readonly folder: string;
  readonly count: number;
  readonly kind: BeatKind;
  readonly api: ChildProcess;
  readonly apiPort: number;
}

interface Server {
  readonly pid: number;
  readonly port: number;
  readonly stop: () => Promise<void>;
}

/** Starts a program that says on which port it is ready. */
const start = async (args: readonly string[]): Promise<Server> => {
  const child = spawn(process.execPath, [...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const stop = async (): Promise<void> => {
    const closed = once(child, 'close');
    if (child.kill()) await closed;
  };
  for await (const line of createInterface(child.stdout)) {
    const [, port] = / ready .*port=(\d+)/.exec(line) ?? [];
    if (port === undefined) continue;
    child.stdout.resume();
    return { pid: child.pid ?? 0, port: Number(port), stop };
  }
  throw new Error(`${args.join(' ')} has ended`);
};

const startRelay = ({ folder, apiPort }: Site): Promise<Server> => {
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, 'none');
  const to = ['--name', 'site', '--server', `http://127.0.0.1:${apiPort}`, '--token-file', tokenFile];
  return start([
    resolve('cli/rollcall.js'),
    'relay',
    ...to,
    '--port',
    '0',
    '--folder',
    join(folder, 'relay'),
  ]);
};

const ask = async (api: ChildProcess): Promise<Counted> => {
  const answered = once(api, 'message');
  api.send('take');
  return (await answered)[0] as Counted;
};

/** Until no beat goes through: all machines have joined. */
const joined = async (machines: readonly Machine[], api: ChildProcess): Promise<void> => {
  for (let round = 0; round < 10; round += 1) {
    await wait(5_000);
    await ask(api);
    await beatEvenly(machines, perSecond(machines.length), INTERVAL_MS + 10);
    if ((await ask(api)).through === 0) return;
  }
  throw new Error('the machines have not joined');
};

interface Load {
  readonly msPerBeat: number;
  readonly percent: number;
}

const loadOf = async ({ pid }: Server, machines: readonly Machine[]): Promise<Load> => {
  const rate = perSecond(machines.length);
  await beatEvenly(machines, rate, WARM_UP_MS);
  const before = processorMs(pid);
  const startedAt = performance.now();
  const beats = await beatEvenly(machines, rate, LOAD_MS);
  const cpuMs = processorMs(pid) - before;
  return { msPerBeat: cpuMs / beats, percent: (100 * cpuMs) / (performance.now() - startedAt) };
};

/** The machines of the relay, as long as `work` takes. */
const withMachines = async <T>(
  server: Server,
  { folder, count, kind }: Site,
  work: (machines: readonly Machine[]) => Promise<T>,
): Promise<T> => {
  const ca = readFileSync(join(folder, 'relay', 'ca.crt'), 'utf8');
  const machines = await openMachines(count, kind, server.port, ca);
  try {
    return await work(machines);
  } finally {
    for (const machine of machines) machine.close();
  }
};

const bareLoad = async (site: Site, answer: object): Promise<Load> => {
  const relayFolder = join(site.folder, 'relay');
  writeFileSync(join(relayFolder, 'answer.json'), JSON.stringify(answer));
  const server = await start([join(import.meta.dirname, 'bare-server.ts'), relayFolder]);
  try {
    return await withMachines(server, site, (machines) => loadOf(server, machines));
  } finally {
    await server.stop();
  }
};

const relayLoad = async (site: Site) => {
  const { api } = site;
  const server = await startRelay(site);
  try {
    return await withMachines(server, site, async (machines) => {
      await joined(machines, api);
      const load = await loadOf(server, machines);
      const counted = await ask(api);
      const answer = (await machines[0]?.beat()) ?? {};
      return { ...load, ...counted, answer, megabytes: residentMb(server.pid) };
    });
  } finally {
    await server.stop();
  }
};

const figuresOf = async (site: Site): Promise<readonly Figure[]> => {
  const relay = await relayLoad(site);
  const bare = await bareLoad(site, relay.answer);
  const name = `${site.count} machines that beat by ${site.kind}`;
  const target = site.count === MANY ? { target: { atMost: MOST_PERCENT } } : {};
  const ratio = { value: relay.msPerBeat / bare.msPerBeat, to: 'a bare server' };
  return [
    { name: `${name}: a bare server`, unit: '% of a core', value: bare.percent },
    { name: `${name}: a relay`, unit: '% of a core', value: relay.percent, ...target },
    { name: `${name}: a beat`, unit: 'ms CPU', value: relay.msPerBeat, ratio },
    { name: `${name}: memory`, unit: 'MB', value: relay.megabytes },
    {
      name: `${name}: bytes of a batch`,
      unit: 'B',
      value: relay.bytes / relay.batches,
      note: `${relay.through} beats went through`,
    },
  ];
};

/** The processor time of a relay, for both ways to beat. */
export const relayCpu: Bench = async ({ large }) => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-bench-relay-'));
  mkdirSync(join(folder, 'relay'), { mode: 0o700 });
  const api = fork(join(import.meta.dirname, 'control-plane.ts'));
  try {
    const [{ port }] = (await once(api, 'message')) as [{ readonly port: number }];
    const figures: Figure[] = [];
    for (const kind of ['heartbeat', 'renewal'] as const)
      figures.push(...(await figuresOf({ folder, count: large ? MANY : FEW, kind, api, apiPort: port })));
    return figures;
  } finally {
    api.kill();
    rmSync(folder, { recursive: true, force: true });
  }
};
