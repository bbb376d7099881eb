/** Runs the demonstration fleet: machines that send heartbeats through the real API, and stop on command. */

import { createApiClient } from '../../shared/client/api-client.ts';
import type { Pod } from '../../shared/kube/types/core.ts';
import type { HostLog } from '../../shared/serving/machine/host-log.ts';
import { type Loop, startLoop } from '../../shared/serving/machine/loop.ts';
import type { FleetSize } from '../../shared/settings/host/host-configuration.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import { createMachine, type Machine } from './machine.ts';
import { podReport } from './objects.ts';
import { isSilent, readOutage } from './outage.ts';
import { type PlannedMachine, planFleet } from './plan.ts';
import { followPods } from './pod-news.ts';
import { retireOthers } from './retire.ts';
import { createWorkloads, workloadsOf } from './workloads.ts';

/** Number of machines that register at the same time. */
const JOINING = 8;
/** Interval (ms) at which the outage file is read. */
const LOOK_MS = 250;
/** A machine posts its status with every third beat. */
const BEATS_PER_REPORT = 3;

export interface FleetOptions {
  readonly size: FleetSize;
  readonly url: string;
  /** Certificate of the CA that signed the API's certificate, PEM. */
  readonly ca: string;
  /** Called for each request, because the token changes when the signing key is replaced. */
  readonly adminToken: () => string;
  readonly intervalSeconds: number;
  readonly timeFactor: number;
  readonly outageFile: string;
  readonly hostLog: HostLog;
}

/** A running fleet. */
export interface Fleet {
  readonly plans: readonly PlannedMachine[];
  stop(): Promise<void>;
}

interface Running {
  /** Sends a heartbeat and a status at once, unless the machine is silent. */
  wake(): Promise<void>;
  /** Handles its pods at once, unless the machine is silent. */
  seePods(): void;
  readonly loop: Loop;
}

const startMachine = (
  machine: Machine,
  isQuiet: () => boolean,
  { intervalSeconds, hostLog }: FleetOptions,
): Running => {
  const everyMs = intervalSeconds * 1000;
  let beats = 0;
  const onError = (error: unknown): void =>
    hostLog.warn('a request of a machine failed', { node: machine.plan.name, error });
  const turn = async (reports: boolean): Promise<void> => {
    if (isQuiet()) return;
    await machine.beat();
    beats += 1;
    if (reports || beats % BEATS_PER_REPORT === 0) await machine.report();
  };
  let last: Promise<void> = Promise.resolve();
  // One after another: two concurrent renewals of a Lease would conflict with each other.
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    last = last.then(work).catch(onError);
    return last;
  };
  let willSeePods = false;
  const seePods = async (): Promise<void> => {
    willSeePods = false;
    if (!isQuiet()) await machine.reportPods();
  };
  const firstMs = machine.plan.phase * everyMs;
  const loop = startLoop({ everyMs, firstMs, work: () => inTurn(() => turn(false)), onError });
  return {
    wake: () => inTurn(() => turn(true)),
    seePods: () => {
      // Several changes wait for one look.
      if (!willSeePods) void inTurn(seePods);
      willSeePods = true;
    },
    loop,
  };
};

/** Registers a few machines at a time; each sends a beat and runs its pods as soon as it is registered. */
const joinAll = (
  machines: readonly Machine[],
  { hostLog }: FleetOptions,
  start: (machine: Machine) => Promise<void>,
  isOver: () => boolean,
): Promise<unknown> =>
  inParallel(machines, JOINING, async (machine) => {
    if (isOver()) return;
    try {
      await machine.join();
      await start(machine);
    } catch (error) {
      if (!isOver()) hostLog.error('failed to register a machine', { node: machine.plan.name, error });
    }
  });

/** Registers the machines and starts their heartbeats. */
export const startFleet = (options: FleetOptions): Fleet => {
  const { size, url, ca, adminToken, intervalSeconds, timeFactor, outageFile, hostLog } = options;
  const plans = planFleet(size);
  const client = createApiClient(url, ca);
  const deps = { client, now: () => Date.now(), adminToken, intervalSeconds };
  const running = new Map<string, Running>();
  let outage = readOutage(outageFile);
  let isStopped = false;
  const start = async (machine: Machine): Promise<void> => {
    if (isStopped) return;
    const started = startMachine(machine, () => isSilent(outage, machine.plan), options);
    running.set(machine.plan.name, started);
    await started.wake();
  };
  const begin = async (): Promise<void> => {
    await retireOthers({ client, adminToken: adminToken(), hostLog }, plans);
    const machines = plans.map((plan) => createMachine(plan, deps));
    await joinAll(machines, options, start, () => isStopped);
    if (!isStopped) await createWork();
  };
  // After the machines, so that the work is spread over all of them.
  const createWork = (): Promise<void> =>
    createWorkloads({ client, adminToken: adminToken() }, workloadsOf(size, timeFactor)).catch(
      (error: unknown) => hostLog.error('failed to create the workloads of the fleet', { error }),
    );
  const joined = begin();
  const look = async (): Promise<void> => {
    const before = outage;
    outage = readOutage(outageFile);
    const isBack = (plan: PlannedMachine): boolean => isSilent(before, plan) && !isSilent(outage, plan);
    await Promise.all(plans.filter(isBack).map(async ({ name }) => running.get(name)?.wake()));
  };
  const onPod = (pod: Pod): void => {
    if (pod.metadata.deletionTimestamp !== undefined || podReport(pod, Date.now()))
      running.get(pod.spec.nodeName ?? '')?.seePods();
  };
  const news = followPods({ url, ca, adminToken, onPod });
  const onError = (error: unknown): void => hostLog.warn('failed to read the outage file', { error });
  const watching = startLoop({ everyMs: LOOK_MS, work: look, onError });
  return {
    plans,
    stop: async () => {
      isStopped = true;
      await Promise.all([watching.stop(), news.stop()]);
      await Promise.all([...running.values()].map(({ loop }) => loop.stop()));
      client.close();
      await joined;
    },
  };
};
