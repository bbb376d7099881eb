/** What keeps the host's files in order. */
import { CONTROLLER_QUEUES } from '../../lambdas/controllers.ts';
import type { SqliteState } from '../../shared/adapters/sqlite/state.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { HostLog } from '../serving/host-log.ts';
import { type Loop, startLoop } from '../serving/loop.ts';
import { DEAD_LETTERS } from './host-metrics.ts';
import type { Presence } from './presence.ts';
import type { MetricsRegistry } from './prometheus.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

export interface HousekeepingDeps {
  readonly clock: Clock;
  readonly state: SqliteState;
  readonly presence: Presence;
  readonly metrics: MetricsRegistry;
  readonly hostLog: HostLog;
  /** The time between two signs of life of the host is divided by it, as all times are. */
  readonly timeFactor: number;
  /** `none`: nobody reads the changes of objects. */
  readonly controllers: 'all' | 'none';
}

const countDeadLetters = async ({ state, metrics }: HousekeepingDeps): Promise<void> => {
  for (const queue of CONTROLLER_QUEUES)
    metrics.set(DEAD_LETTERS, { queue }, (await state.queues.deadLetters(queue)).length);
};

const sweep = async (deps: HousekeepingDeps): Promise<void> => {
  await deps.state.sweep(deps.clock.now());
  await countDeadLetters(deps);
};

/** A full disk fails each second: it is told once, and again when it is over. */
const toldOnce = (name: string, work: () => unknown, hostLog: HostLog) => {
  let told: string | undefined;
  return {
    work: async (): Promise<void> => {
      await work();
      if (told !== undefined) hostLog.info(`${name} works again`);
      told = undefined;
    },
    onError: (error: unknown): void => {
      if (String(error) !== told) hostLog.error(`${name} failed`, { error });
      told = String(error);
    },
  };
};

const checkpoint = ({ state, controllers }: HousekeepingDeps): void => {
  if (controllers === 'none') state.discardChanges();
  state.checkpoint();
};

/** The host's own sign of life and the checkpoint of beats each second, what has expired each minute. */
export const startHousekeeping = (deps: HousekeepingDeps): Loop => {
  const { presence, hostLog, timeFactor } = deps;
  const loop = (name: string, everyMs: number, work: () => unknown): Loop =>
    startLoop({ everyMs, ...toldOnce(name, work, hostLog) });
  const loops = [
    loop('the sign of life', SECOND_MS / timeFactor, () => presence.observe()),
    loop('the checkpoint', SECOND_MS, () => checkpoint(deps)),
    loop('the sweep of expired rows', MINUTE_MS, () => sweep(deps)),
  ];
  return {
    stop: async () => {
      await Promise.all(loops.map((one) => one.stop()));
    },
  };
};
