/** Kills a host under load with kill -9 in a loop, sets its clock and suspends it, and checks after each what must hold. */
import { setTimeout as wait } from 'node:timers/promises';
import { copyFolder, openCopy } from './copy.ts';
import { type Creators, startCreators } from './creators.ts';
import {
  checkTold,
  DISTURBANCES,
  type Disturbance,
  type DisturbanceDeps,
  fallSilent,
  nextStep,
  suspend,
} from './disturbances.ts';
import { createEvictionChecks, type EvictionChecks, type EvictionFigures } from './eviction-checks.ts';
import { createMachineClock, type KillableHost, type MachineClock, spawnHost } from './host.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { adminTokenOf, createLink, type Link } from './link.ts';
import { type Machines, STEADY, startMachines } from './machines.ts';
import { createRandom, type Random } from './random.ts';
import { type Stalls, startStalls } from './stalls.ts';
import { checkAcknowledged, checkItems, createLogReader, type LogCheck } from './stored-checks.ts';
import { startWriters, type Writers } from './writers.ts';

/** Ten times faster than these: a grace period of 8 s, one NoExecute taint each 2 s and zone. */
const ARGS = ['--fast', '--node-monitor-grace-period', '80s', '--node-eviction-rate', '0.05'];
const GRACE_MS = 8_000;
const TAINT_INTERVAL_MS = 2_000;
/** Bounds of the time (ms) for which the host stays away. */
const AWAY_MS = [3_000, 12_000] as const;
/** Bounds of the lifetime of a host (ms): usually, and after an absence, when evictions are paused for a grace period. */
const LIFE_MS = [0, 3_000] as const;
const CALM_LIFE_MS = [9_000, 14_000] as const;
/** Bounds of the lifetime of a host that is killed before it is ready (ms), and the share of such hosts. */
const BIRTH_MS = [50, 700] as const;
const BIRTH_SHARE = 0.15;
const FIRST_LIFE_MS = 2_000;

export interface ChaosOptions {
  readonly folder: string;
  readonly kills: number;
  readonly seed: number;
  /** Every how many kills the host stays away for a while; 0: never. */
  readonly awayEach: number;
  /** Before every how many kills the host's clock is set or the host is suspended; 0: never. */
  readonly disturbEach: number;
  readonly onKill?: (report: KillReport) => void;
}

export interface KillReport {
  readonly kill: number;
  readonly awayMs: number;
  /** What happened before the kill. */
  readonly disturbance?: string;
  /** Notices of the next start about heartbeat items that it repairs. */
  readonly notices: readonly string[];
  readonly violations: readonly string[];
  readonly counts: Ledger['counts'];
  readonly figures: EvictionFigures;
}

interface Run extends ChaosOptions {
  readonly clock: MachineClock;
  readonly random: Random;
  readonly ledger: Ledger;
  readonly link: Link;
  readonly evictions: EvictionChecks;
  readonly stalls: Stalls;
  readonly logs: { readonly nodes: LogCheck; readonly pods: LogCheck };
}

interface Load {
  readonly creators: Creators;
  readonly machines: Machines;
  readonly writers: Writers;
}

const runOf = (options: ChaosOptions): Run => {
  const ledger = createLedger();
  const logs = { nodes: createLogReader('nodes', ledger), pods: createLogReader('pods', ledger) };
  const stalls = startStalls();
  const evictions = createEvictionChecks(TAINT_INTERVAL_MS, ledger, () => stalls.longestMs() >= GRACE_MS / 2);
  const clock = createMachineClock(`${options.folder}-clock`);
  return {
    ...options,
    clock,
    random: createRandom(options.seed),
    ledger,
    link: createLink(),
    evictions,
    stalls,
    logs,
  };
};

const start = async ({ folder, link, clock }: Run): Promise<KillableHost> => {
  const host = spawnHost(folder, ARGS, clock);
  try {
    await host.ready();
    link.attach(folder);
    return host;
  } catch (error) {
    await host.kill();
    throw error;
  }
};

const startLoad = async ({ folder, link, ledger, random }: Run): Promise<Load> => {
  const token = adminTokenOf(folder);
  const machines = await startMachines({ link, ledger, token });
  const creators = startCreators({ link, ledger, token });
  return { creators, machines, writers: startWriters({ link, ledger, random, token }) };
};

/** Checks a copy of the state after the kill. It must contain everything that was acknowledged before. */
const checkStored = async ({ folder, ledger, logs, evictions }: Run): Promise<readonly string[]> => {
  const writes = ledger.take();
  const { state, notices, dispose } = openCopy(copyFolder(folder));
  try {
    await checkItems(state, ledger);
    const [nodes, pods] = [await logs.nodes.read(state), await logs.pods.read(state)];
    checkAcknowledged('nodes', nodes, writes, ledger);
    checkAcknowledged('pods', pods, writes, ledger);
    evictions.nodes(nodes);
    evictions.deadlines((await state.control.dueDeadlines(Number.MAX_SAFE_INTEGER)).value);
    evictions.pods(pods);
    return notices;
  } finally {
    dispose();
  }
};

const setClock = (run: Run): number => {
  const byMs = nextStep(run.random, run.clock.aheadMs());
  run.clock.set(byMs);
  run.evictions.move(byMs);
  return byMs;
};

/** Runs a host whose clock is set or which is suspended, and kills it. Resolves to a text about what happened. */
const liveDisturbed = async (run: Run, writers: Writers, disturbance: Disturbance, life: number) => {
  const { random, link, ledger, folder } = run;
  const betweenMs = disturbance === 'clock set between two runs' ? setClock(run) : 0;
  const host = await start(run);
  const token = adminTokenOf(folder);
  const deps: DisturbanceDeps = { link, ledger, random, token, graceMs: GRACE_MS, stalls: run.stalls };
  try {
    await writers.verified();
    const silent = await fallSilent(deps, `silent-${life}`);
    await wait(random.between(...LIFE_MS));
    const suspendedMs = disturbance === 'suspended' ? await suspend(host, random) : 0;
    const steppedMs = disturbance === 'clock set' ? setClock(run) : 0;
    if (steppedMs !== 0) host.hearOfClock();
    await silent.found(suspendedMs + GRACE_MS);
    const byMs = betweenMs + steppedMs;
    if (byMs !== 0) checkTold(host.output(), byMs, ledger);
    return `${disturbance} ${(byMs + suspendedMs) / 1000} s`;
  } finally {
    link.detach();
    await host.kill();
    ledger.raiseFloors();
  }
};

/** Runs a host and kills it, sometimes before it is ready. Resolves when its process is gone. */
const liveAndDie = async (run: Run, writers: Writers, lifeMs: number): Promise<void> => {
  const { random, link, ledger, folder } = run;
  if (random.next() < BIRTH_SHARE) {
    const unborn = spawnHost(folder, ARGS, run.clock);
    await wait(random.between(...BIRTH_MS));
    return unborn.kill();
  }
  const host = await start(run);
  try {
    await writers.verified();
    await wait(lifeMs);
  } finally {
    link.detach();
    await host.kill();
    ledger.raiseFloors();
  }
};

const reportOf = (run: Run, kill: number, awayMs: number, notices: readonly string[]): KillReport => {
  const { ledger, evictions } = run;
  const { counts } = ledger;
  return { kill, awayMs, notices, violations: ledger.violations(), counts, figures: evictions.figures };
};

/** The disturbance before a kill. The kinds take turns. */
const disturbanceOf = ({ disturbEach }: Run, kill: number): Disturbance | undefined =>
  disturbEach > 0 && kill % disturbEach === 0
    ? DISTURBANCES[(kill / disturbEach - 1) % DISTURBANCES.length]
    : undefined;

const killAgain = async (run: Run, { writers }: Load): Promise<void> => {
  const { random, kills, awayEach, onKill } = run;
  let awayMs = 0;
  for (let kill = 2; kill <= kills; kill += 1) {
    const [least, most] = awayMs > 0 ? CALM_LIFE_MS : LIFE_MS;
    const planned = disturbanceOf(run, kill);
    const disturbance = planned && (await liveDisturbed(run, writers, planned, kill));
    if (!planned) await liveAndDie(run, writers, random.between(least, most));
    awayMs = awayEach > 0 && kill % awayEach === 0 ? random.between(...AWAY_MS) : 0;
    const report = reportOf(run, kill, awayMs, await checkStored(run));
    onKill?.({ ...report, ...(disturbance === undefined ? {} : { disturbance }) });
    await wait(awayMs);
  }
};

/** Starts the host once more after the last kill, and checks by the API that everything acknowledged is there. */
const lookOnceMore = async (run: Run, { creators, writers, machines }: Load): Promise<void> => {
  const host = await start(run);
  try {
    await writers.verified();
    await wait(FIRST_LIFE_MS);
    await writers.stop();
    await creators.settled();
    await machines.stop();
  } finally {
    run.link.detach();
    await host.kill();
  }
  await checkStored(run);
  for (const name of STEADY)
    if (run.ledger.violations().some((what) => what.startsWith(name)))
      run.ledger.violate(
        `${name}: ${Math.round(machines.longestGapMs(name))} ms was the longest time between two of its heartbeats`,
      );
};

/** Runs the whole test. Resolves to the last report, with all violations. Rejects if a host does not start. */
export const runChaos = async (options: ChaosOptions): Promise<KillReport> => {
  const run = runOf(options);
  const first = await start(run);
  let load: Load | undefined;
  try {
    load = await startLoad(run);
    await wait(FIRST_LIFE_MS);
  } finally {
    run.link.detach();
    await first.kill();
    run.ledger.raiseFloors();
  }
  try {
    options.onKill?.(reportOf(run, 1, 0, await checkStored(run)));
    await killAgain(run, load);
    await lookOnceMore(run, load);
  } finally {
    run.stalls.stop();
    await Promise.all([load.creators.stop(), load.writers.stop(), load.machines.stop()]);
  }
  return reportOf(run, options.kills, 0, []);
};
