/** Periodic work on the host's files: the sign of life, checkpoints and the sweep of expired rows. */
import { CONTROLLER_QUEUES } from '../lambdas/controllers.ts';
import type { SqliteState } from '../shared/adapters/sqlite/state.ts';
import type { Clock } from '../shared/ports/process/clock.ts';
import type { MetricsRegistry } from '../shared/serving/http/prometheus.ts';
import type { HostLog } from '../shared/serving/machine/host-log.ts';
import { type Loop, startLoop } from '../shared/serving/machine/loop.ts';
import { LOOK_MS } from '../shared/settings/sign-of-life.ts';
import type { Presence } from './beats/presence.ts';
import { DEAD_LETTERS } from './figures/host-metrics.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

export interface HousekeepingDeps {
  readonly clock: Clock;
  readonly state: SqliteState;
  readonly presence: Presence;
  readonly metrics: MetricsRegistry;
  readonly hostLog: HostLog;
  /** Divides the interval between two signs of life, as it divides all times. */
  readonly timeFactor: number;
  /** With `none` nothing reads the change feed, so its entries are discarded. */
  readonly controllers: string;
}

const countDeadLetters = async ({ state, metrics }: HousekeepingDeps): Promise<void> => {
  for (const queue of CONTROLLER_QUEUES)
    metrics.set(DEAD_LETTERS, { queue }, (await state.queues.deadLetters(queue)).length);
};

const sweep = async (deps: HousekeepingDeps): Promise<void> => {
  await deps.state.sweep(deps.clock.now());
  await countDeadLetters(deps);
};

/** Logs an error once while it repeats (on a full disk, each second), and logs when the work succeeds again. */
const loggedOnce = (name: string, work: () => unknown, hostLog: HostLog) => {
  let logged: string | undefined;
  return {
    work: async (): Promise<void> => {
      await work();
      if (logged !== undefined) hostLog.info(`${name} works again`);
      logged = undefined;
    },
    onError: (error: unknown): void => {
      if (String(error) !== logged) hostLog.error(`${name} failed`, { error });
      logged = String(error);
    },
  };
};

const checkpoint = ({ state, controllers }: HousekeepingDeps): void => {
  if (controllers === 'none') state.discardChanges();
  state.checkpoint();
};

/** Stores the sign of life and checkpoints the database each second; deletes expired rows each minute. */
export const startHousekeeping = (deps: HousekeepingDeps): Loop => {
  const { presence, hostLog, timeFactor } = deps;
  const loop = (name: string, everyMs: number, work: () => unknown): Loop =>
    startLoop({ everyMs, ...loggedOnce(name, work, hostLog) });
  const loops = [
    loop('the sign of life', LOOK_MS / timeFactor, () => presence.observe()),
    loop('the checkpoint', SECOND_MS, () => checkpoint(deps)),
    loop('the sweep of expired rows', MINUTE_MS, () => sweep(deps)),
  ];
  return {
    stop: async () => {
      await Promise.all(loops.map((one) => one.stop()));
    },
  };
};
