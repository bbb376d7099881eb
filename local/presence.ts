/** Whether the host was there to hear its nodes: after an absence, silence proves nothing. */
import type { EpochMs } from '../shared/api/time.ts';
import type { NodeLifecycleConfig } from '../shared/config/node-lifecycle.ts';
import type { Clock } from '../shared/ports/clock.ts';
import type { ControlStore } from '../shared/ports/control-store.ts';

/** Share of the grace period that a host may be away without consequences: living nodes beat four times in it. */
const NOTICED_SHARE = 0.25;
/** Passes may start in between; more often in a row they do not. */
const RAISE_TRIES = 5;

export interface PresenceDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly control: Pick<ControlStore, 'readPass' | 'raiseClockFloor'>;
  readonly alive: { keepAlive(now: EpochMs): void; lastAlive(): EpochMs | undefined };
  readonly config: Pick<NodeLifecycleConfig, 'nodeMonitorGracePeriodMs' | 'nodeStartupGracePeriodMs'>;
  readonly onReturn: (awayMs: number) => void;
}

export interface Presence {
  /** To be called often, and first when requests are accepted. Resolves when the clock floor of a return is stored. */
  observe(): Promise<void>;
  /** No NoExecute taint and no deletion before this instant (ms); 0: none was ever needed. */
  quietUntil(): EpochMs;
}

/** Zone records of the last pass stay current: its number is the floor's. */
const raiseFloor = async ({ control }: PresenceDeps, at: EpochMs): Promise<void> => {
  for (let tries = 0; tries < RAISE_TRIES; tries += 1) {
    const pass = (await control.readPass())?.pass ?? 0;
    if (await control.raiseClockFloor(at, pass)) return;
  }
  throw new Error('the clock floor could not be stored: passes overtake it');
};

/**
 * Watches the time since the host was last seen alive, by an earlier process or, where this one was suspended, by itself.
 * One that cannot store beats counts as away, too. Away for more than a quarter of the grace period, its return becomes a clock floor, and evictions rest for a grace period.
 * Until the nodes had their time to answer the host does not count as alive, so a crash in between begins it anew.
 */
export const createPresence = (deps: PresenceDeps): Presence => {
  const { clock, alive, config } = deps;
  const { nodeMonitorGracePeriodMs: graceMs, nodeStartupGracePeriodMs: startupMs } = config;
  let lastSeen = alive.lastAlive();
  let returnedAt = Number.NEGATIVE_INFINITY;
  let owedFloor: EpochMs | undefined;
  let isStoring = true;

  const notice = (now: EpochMs): void => {
    if (!isStoring) return;
    const awayMs = lastSeen === undefined ? 0 : now - lastSeen;
    lastSeen = now;
    if (awayMs <= graceMs * NOTICED_SHARE) return;
    returnedAt = now;
    owedFloor = now;
    deps.onReturn(awayMs);
  };
  /** A host that can store nothing refuses beats: it is as good as away, as long as this throws. */
  const store = (at: EpochMs): void => {
    isStoring = false;
    alive.keepAlive(at);
    isStoring = true;
  };
  const observe = async (): Promise<void> => {
    const now = clock.now();
    if (!isStoring) store(lastSeen ?? now);
    const before = lastSeen;
    notice(now);
    if (now - returnedAt >= Math.max(graceMs, startupMs)) {
      lastSeen = before;
      store(now);
      lastSeen = now;
    }
    const owed = owedFloor;
    if (owed === undefined) return;
    await raiseFloor(deps, owed);
    if (owedFloor === owed) owedFloor = undefined;
  };
  return {
    observe,
    quietUntil: () => {
      notice(clock.now());
      return Math.max(0, returnedAt + graceMs);
    },
  };
};
