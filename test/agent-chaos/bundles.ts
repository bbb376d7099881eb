/** Kills an agent, its keepers, its OCI runtime and its programs at random points, and looks whether the runtime still tells the truth. */
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { keeperPid } from '../../agent/adapters/oci-runtime/bundles/conmon.ts';
import { eventually } from '../support/clocks/eventually.ts';
import { bundleRuntime } from './bundle-runtime.ts';
import { containerFolders, ledgerFaults, makeFolders, startAgent, untilStarted } from './lives.ts';
import { groupFolders, killed, oneOf, runtimePids } from './machine.ts';
import { rootOf, stateOf, trashOf } from './options.ts';

/** What a run did, and what was wrong. */
export interface BundleChaosReport {
  readonly violations: readonly string[];
  readonly agents: number;
  readonly keepers: number;
  readonly runtimes: number;
  readonly programs: number;
  readonly starts: number;
}

interface Chaos {
  readonly folder: string;
  readonly group: string;
  readonly root: string;
  readonly random: () => number;
  readonly counts: { agents: number; keepers: number; runtimes: number; programs: number };
}

/** Of the files of a container. */
interface Marks {
  readonly attempt?: string;
  readonly pid?: number;
}

const jsonOf = (path: string): Marks => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
};

const attempts = ({ root }: Chaos): readonly string[] =>
  containerFolders(root).flatMap((folder) => {
    const { attempt } = jsonOf(join(folder, 'spec.json'));
    return attempt === undefined ? [] : [join(folder, attempt)];
  });

const programPid = (attempt: string): number | undefined => {
  const { pid, attempt: own } = jsonOf(join(attempt, '..', 'started'));
  return own === basename(attempt) && existsSync(`/proc/${pid}`) ? pid : undefined;
};

const disturb = async (chaos: Chaos): Promise<void> => {
  const { random, counts, folder } = chaos;
  const chance = random();
  const attempt = oneOf(attempts(chaos), random);
  if (chance < 0.12 && attempt !== undefined && killed(await keeperPid(attempt))) counts.keepers += 1;
  else if (chance < 0.24 && attempt !== undefined && killed(programPid(attempt))) counts.programs += 1;
  else if (chance < 0.6 && killed(oneOf(runtimePids(stateOf(folder)), random))) counts.runtimes += 1;
};

/** Those that have a process: one that is created waits for the request to start its program. */
const LIVING: readonly string[] = ['created', 'running'];

/** All that is said to live has a living process; a container whose keeper is gone takes a while. */
const saidFaults = async (runtime: Awaited<ReturnType<typeof bundleRuntime>>, chaos: Chaos) => {
  const live = new Set(attempts(chaos).filter((attempt) => programPid(attempt) !== undefined));
  const pods = await runtime.pods();
  const said = pods.flatMap(({ containers }) => containers.filter(({ state }) => LIVING.includes(state)));
  return said.length === live.size ? undefined : `${said.length} are said to live, and ${live.size} do`;
};

/** Compares what a new agent is told with the machine, then removes all and looks for what is left. */
const finalFaults = async (chaos: Chaos): Promise<readonly string[]> => {
  const { folder, group, root } = chaos;
  const runtime = await bundleRuntime(folder, group);
  let fault: string | undefined;
  await eventually(
    'what is told is true',
    60_000,
    async () => {
      fault = await saidFaults(runtime, chaos);
      return fault === undefined;
    },
    { seen: () => fault },
  );
  for (const { pod } of await runtime.pods()) await runtime.removePod(pod.uid);
  runtime.close();
  await eventually('the trash is empty', 60_000, async () => readdirSync(trashOf(folder)).length === 0);
  const left = {
    folder: containerFolders(root),
    group: groupFolders(group),
    // An agent that ends without pods takes it away.
    container: existsSync(stateOf(folder)) ? readdirSync(stateOf(folder)) : [],
    runtime: runtimePids(stateOf(folder)),
    mount: readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .filter((line) => line.includes(folder)),
  };
  return Object.entries(left).flatMap(([what, all]) => all.map((one) => `is left: ${what} ${one}`));
};

const lifeOf = async (chaos: Chaos, errors: string[]): Promise<void> => {
  const { folder, group, random, counts } = chaos;
  const agent = startAgent(folder, group, errors);
  const exited = once(agent, 'exit');
  await untilStarted(agent, random);
  for (let left = random() * 3000; left > 0; left -= 50) {
    await wait(Math.min(left, 50));
    await disturb(chaos);
  }
  agent.kill('SIGKILL');
  await exited;
  counts.agents += 1;
};

/** Runs for `durationMs`. `random`: from 0 up to 1. */
export const runBundleChaos = async (
  folder: string,
  durationMs: number,
  random: () => number,
): Promise<BundleChaosReport> => {
  const group = `/rollcall-chaos-oci-${process.pid}`;
  const root = rootOf(folder);
  makeFolders(folder, root);
  const chaos = { folder, group, root, random, counts: { agents: 0, keepers: 0, runtimes: 0, programs: 0 } };
  const errors: string[] = [];
  // The programs of a runtime do not keep this process alive by themselves.
  const alive = setInterval(() => undefined, 1000);
  const end = performance.now() + durationMs;
  while (performance.now() < end) await lifeOf(chaos, errors);
  const faults = await finalFaults(chaos).catch((error: unknown) => [String(error)]);
  clearInterval(alive);
  const ledger = ledgerFaults(folder);
  // A call of the runtime that was killed is told as such.
  const told = errors.filter((text) => !/it ended with code none/.test(text));
  const violations = [...told, ...ledger.faults, ...faults];
  return { ...chaos.counts, starts: ledger.starts, violations };
};
