/** The demonstration fleet at work: machines that beat through the real API, and fall silent when told to. */

import { createApiClient } from '../../shared/client/api-client.ts';
import type { FleetSize } from '../../shared/config/host-configuration.ts';
import { inParallel } from '../../shared/state/in-parallel.ts';
import type { HostLog } from '../serving/host-log.ts';
import { type Loop, startLoop } from '../serving/loop.ts';
import { createMachine, type Machine } from './machine.ts';
import { isSilent, readOutage } from './outage.ts';
import { type PlannedMachine, planFleet } from './plan.ts';
import { retireOthers } from './retire.ts';

/** Machines that register at the same time. */
const JOINING = 8;
/** Milliseconds between two looks at the outage file. */
const LOOK_MS = 250;
/** A machine reports with every third beat: pods that were lost come back soon. */
const BEATS_PER_REPORT = 3;

export interface FleetOptions {
  readonly size: FleetSize;
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  /** Asked for each time: the token changes when its key is replaced. */
  readonly adminToken: () => string;
  readonly intervalSeconds: number;
  readonly timeFactor: number;
  readonly outageFile: string;
  readonly hostLog: HostLog;
}

export interface Fleet {
  readonly plans: readonly PlannedMachine[];
  stop(): Promise<void>;
}

interface Running {
  /** Beats and reports at once, if it is not silent. */
  wake(): Promise<void>;
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
    hostLog.warn('a machine got no good answer', { node: machine.plan.name, error });
  const turn = async (reports: boolean): Promise<void> => {
    if (isQuiet()) return;
    await machine.beat();
    beats += 1;
    if (reports || beats % BEATS_PER_REPORT === 0) await machine.report();
  };
  let last: Promise<void> = Promise.resolve();
  // One after another: a Lease renewed twice at once would meet its own conflict.
  const inTurn = (reports: boolean): Promise<void> => {
    last = last.then(() => turn(reports)).catch(onError);
    return last;
  };
  const firstMs = machine.plan.phase * everyMs;
  const loop = startLoop({ everyMs, firstMs, work: () => inTurn(false), onError });
  return { wake: () => inTurn(true), loop };
};

/** Registers a few machines at a time; each beats and brings its pods as soon as it is known. */
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
      if (!isOver()) hostLog.error('a machine could not join', { node: machine.plan.name, error });
    }
  });

/** Lets the machines register and beat. */
export const startFleet = (options: FleetOptions): Fleet => {
  const { size, url, ca, adminToken, intervalSeconds, timeFactor, outageFile, hostLog } = options;
  const plans = planFleet(size, timeFactor);
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
  const begin = async (): Promise<unknown> => {
    await retireOthers({ client, adminToken: adminToken(), hostLog }, plans);
    const machines = plans.map((plan) => createMachine(plan, deps));
    return joinAll(machines, options, start, () => isStopped);
  };
  const joined = begin();
  const look = async (): Promise<void> => {
    const before = outage;
    outage = readOutage(outageFile);
    const isBack = (plan: PlannedMachine): boolean => isSilent(before, plan) && !isSilent(outage, plan);
    await Promise.all(plans.filter(isBack).map(async ({ name }) => running.get(name)?.wake()));
  };
  const onError = (error: unknown): void => hostLog.warn('the outage file could not be read', { error });
  const watching = startLoop({ everyMs: LOOK_MS, work: look, onError });
  return {
    plans,
    stop: async () => {
      isStopped = true;
      await watching.stop();
      await Promise.all([...running.values()].map(({ loop }) => loop.stop()));
      client.close();
      await joined;
    },
  };
};
