/** Whether the host was there to hear its nodes: after an absence, silence proves nothing. */
import type { EpochMs } from '../../shared/api/time.ts';
import type { NodeLifecycleConfig } from '../../shared/config/node-lifecycle.ts';
import { answerMs, excuseAfter } from '../../shared/domain/nodes/absence.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { ControlStore } from '../../shared/ports/control-store.ts';
import type { ClockSteps } from './clock-steps.ts';

/** Passes may start in between; more often in a row they do not. */
const RAISE_TRIES = 5;
const NEVER = Number.NEGATIVE_INFINITY;

export interface PresenceDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly control: Pick<ControlStore, 'readPass' | 'raiseClockFloor'>;
  readonly alive: { keepAlive(now: EpochMs): void; lastAlive(): EpochMs | undefined };
  readonly config: Pick<
    NodeLifecycleConfig,
    'nodeMonitorPeriodMs' | 'nodeMonitorGracePeriodMs' | 'nodeStartupGracePeriodMs'
  >;
  /** Processor time of this process so far, ms. */
  readonly busyMs?: () => number;
  readonly steps?: ClockSteps;
  /** `excuseMs`: how long nodes have to be heard. */
  readonly onReturn: (awayMs: number, excuseMs: number) => void;
}

export interface Presence {
  /**
   * To be called often, and first when requests are accepted. Handles a step of the clock; resolves when the clock floor of a
   * return or a step is stored.
   */
  observe(): Promise<void>;
  /** No NoExecute taint is put before this instant (ms); 0: none was ever needed. */
  quietUntil(): EpochMs;
  /** No node is found silent before this instant: nodes have had their time since a return, or since the clock was set. */
  flipsRestUntil(): EpochMs;
  /** No pod leaves a node for being not-ready or unreachable before this instant. */
  deletionsRestUntil(): EpochMs;
  /** Grows with each return and each step of the clock: work that began under another number is looked at again. */
  returns(): number;
}

/** Zone records of the last pass stay current: its number is the floor's. */
const raiseFloor = async ({ control }: PresenceDeps, at: EpochMs): Promise<void> => {
  for (let tries = 0; tries < RAISE_TRIES; tries += 1) {
    const pass = (await control.readPass())?.pass ?? 0;
    if (await control.raiseClockFloor(at, pass)) return;
  }
  throw new Error('the clock floor could not be stored: passes overtake it');
};

/** What is known of absences; all instants move when the clock is set. */
interface Seen {
  lastSeen: EpochMs | undefined;
  /** Clock floor of the last return. */
  returnFloor: EpochMs;
  /** Clock floor of the last return or step. */
  floor: EpochMs;
  /** End of the last absence; being busy is none. */
  backAt: EpochMs;
  owedFloor: EpochMs | undefined;
}

const nothingSeen = (): Seen => ({
  lastSeen: undefined,
  returnFloor: NEVER,
  floor: NEVER,
  backAt: NEVER,
  owedFloor: undefined,
});

const moveSeen = (seen: Seen, byMs: number): void => {
  if (seen.lastSeen !== undefined) seen.lastSeen += byMs;
  if (seen.owedFloor !== undefined) seen.owedFloor += byMs;
  seen.returnFloor += byMs;
  seen.floor += byMs;
  seen.backAt += byMs;
};

const raise = (seen: Seen, floor: EpochMs): void => {
  seen.floor = Math.max(seen.floor, floor);
  seen.owedFloor = Math.max(seen.owedFloor ?? NEVER, floor);
};

/** Tells how long the host did not listen since it was last asked; the first time, since an earlier process did. */
const createGaps = ({ alive, busyMs = () => 0 }: PresenceDeps, seen: Seen) => {
  let busySoFar = busyMs();
  seen.lastSeen = alive.lastAlive();
  let isOfThisProcess = false;
  return {
    next: (now: EpochMs) => {
      const busy = busyMs();
      const gapMs = seen.lastSeen === undefined ? 0 : now - seen.lastSeen;
      const gap = { gapMs, busyMs: isOfThisProcess ? busy - busySoFar : 0 };
      [seen.lastSeen, busySoFar, isOfThisProcess] = [now, busy, true];
      return gap;
    },
    /** Nothing could be stored: whatever this process did meanwhile, it was as good as away. */
    forgetWork: () => {
      isOfThisProcess = false;
    },
  };
};

/** Stores that the host is alive. A host that can store nothing refuses beats: it counts as away until a store succeeds. */
const createAliveMark = ({ alive }: PresenceDeps) => {
  let isStoring = true;
  return {
    isStoring: () => isStoring,
    /** Throws where the database does. */
    store: (at: EpochMs): void => {
      isStoring = false;
      alive.keepAlive(at);
      isStoring = true;
    },
  };
};

/** A floor that was raised again while it was stored is still owed. */
const raiseOwedFloor = async (deps: PresenceDeps, seen: Seen): Promise<void> => {
  const owed = seen.owedFloor;
  if (owed === undefined) return;
  await raiseFloor(deps, owed);
  if (seen.owedFloor === owed) seen.owedFloor = undefined;
};

/**
 * Watches the time since the host was last seen alive, by an earlier process or, where this one was suspended, by itself.
 * One that cannot store beats counts as away, too. After an absence its return becomes a clock floor, and evictions rest; what
 * the rule is stands in `shared/domain/nodes/absence.ts`.
 * Until the nodes had their time to answer the host does not count as alive, so a crash in between begins it anew.
 */
export const createPresence = (deps: PresenceDeps): Presence => {
  const { clock, config } = deps;
  const { nodeMonitorGracePeriodMs: graceMs, nodeStartupGracePeriodMs: startupMs } = config;
  const seen = nothingSeen();
  const gaps = createGaps(deps, seen);
  const mark = createAliveMark(deps);
  let returns = 0;

  const applyStep = (): void => {
    const byMs = deps.steps?.settle() ?? 0;
    if (byMs === 0) return;
    moveSeen(seen, byMs);
    // What was under way has instants of the clock as it was: nobody is judged by them.
    raise(seen, clock.now());
    returns += 1;
  };
  const notice = (now: EpochMs): void => {
    if (!mark.isStoring()) return;
    const gap = gaps.next(now);
    const excuseMs = excuseAfter(gap, graceMs);
    if (excuseMs === 0) return;
    seen.returnFloor = Math.max(seen.returnFloor, now + excuseMs - graceMs);
    if (excuseMs === graceMs) seen.backAt = now;
    raise(seen, seen.returnFloor);
    returns += 1;
    deps.onReturn(gap.gapMs, excuseMs);
  };
  const look = (): void => notice(clock.now());
  const observe = async (): Promise<void> => {
    applyStep();
    const now = clock.now();
    if (!mark.isStoring()) {
      mark.store(seen.lastSeen ?? now);
      gaps.forgetWork();
    }
    const before = seen.lastSeen;
    notice(now);
    if (now - seen.returnFloor >= Math.max(graceMs, startupMs)) {
      seen.lastSeen = before;
      mark.store(now);
      seen.lastSeen = now;
    }
    await raiseOwedFloor(deps, seen);
  };
  const after = (at: () => EpochMs, ms: number) => (): EpochMs => {
    look();
    return Math.max(0, at() + ms);
  };
  return {
    observe,
    quietUntil: after(() => seen.returnFloor, graceMs),
    flipsRestUntil: after(() => seen.floor, graceMs),
    deletionsRestUntil: after(() => seen.backAt, answerMs(graceMs, config.nodeMonitorPeriodMs)),
    returns: () => {
      look();
      return returns;
    },
  };
};
