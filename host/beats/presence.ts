/** Notices absences of the host. The silence of a node during an absence is no reason to act against it. */
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { ControlStore } from '../../shared/ports/store/control-store.ts';
import { answerMs, comingMs, excuseAfter } from '../../shared/rules/nodes/absence.ts';
import type { NodeLifecycleConfig } from '../../shared/settings/node-lifecycle.ts';
import type { ClockSteps } from '../folder/clock-steps.ts';
import { createComeback } from './restart-warm-up.ts';

/** Attempts to store a clock floor. One fails only if a pass starts at the same time. */
const RAISE_TRIES = 5;
const NEVER = Number.NEGATIVE_INFINITY;

export interface PresenceDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly control: Pick<ControlStore, 'readPass' | 'raiseClockFloor'>;
  /** The stored sign of life. */
  readonly alive: {
    keepAlive(now: EpochMs): void;
    lastAlive(): EpochMs | undefined;
    /** Beats of an earlier process before this instant may be lost; `undefined` if none are. */
    beatsLostBefore?(): EpochMs | undefined;
    /** How many nodes that an earlier process has heard have been heard by this one. */
    heardAgain?(): number;
  };
  readonly config: Pick<
    NodeLifecycleConfig,
    'nodeMonitorPeriodMs' | 'nodeMonitorGracePeriodMs' | 'nodeStartupGracePeriodMs'
  >;
  /** Processor time of this process so far, ms. A host that was busy was not away. */
  readonly busyMs?: () => number;
  readonly steps?: ClockSteps;
  /** Called after an absence of `awayMs`; nodes get `excuseMs` to send a heartbeat. */
  readonly onReturn: (awayMs: number, excuseMs: number) => void;
  /** Called once if nodes get more time, because many of them are still on their way. */
  readonly onLateComeback?: () => void;
}

export interface Presence {
  /**
   * Notices absences and steps of the clock, and stores the sign of life. Call it often, and first when requests are accepted.
   * Resolves when the clock floor of a return or a step is stored. Rejects if it cannot be stored.
   */
  observe(): Promise<void>;
  /** No node gets a NoExecute taint before this instant (ms); 0 if there was no absence. */
  quietUntil(): EpochMs;
  /** No node is found silent before this instant (ms): a grace period after a return, or after the clock was set. */
  flipsRestUntil(): EpochMs;
  /** No pod is evicted because its node is not-ready or unreachable before this instant, ms. */
  deletionsRestUntil(): EpochMs;
  /**
   * Counts returns, steps of the clock, and beginnings of a wait for nodes that still come back. Work that began under another count must
   * be decided again.
   */
  returns(): number;
}

/** Stores the floor with the number of the last pass, so that the zone records of that pass stay current. */
const raiseFloor = async ({ control }: PresenceDeps, at: EpochMs): Promise<void> => {
  for (let tries = 0; tries < RAISE_TRIES; tries += 1) {
    const pass = (await control.readPass())?.pass ?? 0;
    if (await control.raiseClockFloor(at, pass)) return;
  }
  throw new Error('failed to store the clock floor: a pass started at each attempt');
};

/** What is known of absences. All instants move when the clock is set. */
interface Seen {
  /** When the host was last seen alive. */
  lastSeen: EpochMs | undefined;
  /** Clock floor of the last return: silence before this instant does not count. */
  returnFloor: EpochMs;
  /** Clock floor of the last return or step. */
  floor: EpochMs;
  /** End of the last absence. Being busy does not count as one. */
  backAt: EpochMs;
  /** A floor that is not stored yet. */
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

/** Measures the time since the host was last seen alive: at first by an earlier process, then by itself. */
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
    /** Counts the next gap as an absence, however busy the process was: it could store nothing. */
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

/**
 * Nodes that are still on their way after the time between two beats get as much again, at each look. Tells whether something rests by
 * that which did not rest before.
 */
const createComebackWait = (deps: PresenceDeps, seen: Seen): ((now: EpochMs) => boolean) => {
  const { busyMs = () => 0, alive, clock, config } = deps;
  const { heardAgain = () => 0 } = alive;
  const comingForMs = createComeback({ heardAgain, busyMs }, clock.now());
  const { nodeMonitorGracePeriodMs: graceMs, nodeMonitorPeriodMs: periodMs } = config;
  const waitMs = comingMs(graceMs);
  let isTold = false;
  return (now) => {
    const floor = now + waitMs - graceMs;
    if (comingForMs(now) <= waitMs || floor <= seen.returnFloor) return false;
    if (!isTold) deps.onLateComeback?.();
    isTold = true;
    const restsUntil = Math.min(seen.returnFloor + graceMs, seen.backAt + answerMs(graceMs, periodMs));
    seen.returnFloor = floor;
    seen.backAt = Math.max(seen.backAt, now - waitMs);
    raise(seen, floor);
    return restsUntil <= now;
  };
};

/** Stores the owed floor. If it is raised again meanwhile, the new one is still owed. */
const raiseOwedFloor = async (deps: PresenceDeps, seen: Seen): Promise<void> => {
  const owed = seen.owedFloor;
  if (owed === undefined) return;
  await raiseFloor(deps, owed);
  if (seen.owedFloor === owed) seen.owedFloor = undefined;
};

/**
 * Notices that the host was away: not running, suspended, or unable to store heartbeats. After an absence it stores a clock
 * floor, and evictions wait. `shared/rules/nodes/absence.ts` has the rule.
 * The sign of life is not stored until the nodes have had their time to answer: a crash before that makes the absence longer.
 */
export const createPresence = (deps: PresenceDeps): Presence => {
  const { clock, config } = deps;
  const { nodeMonitorGracePeriodMs: graceMs, nodeStartupGracePeriodMs: startupMs } = config;
  const seen = nothingSeen();
  const gaps = createGaps(deps, seen);
  const mark = createAliveMark(deps);
  let returns = 0;
  // A node whose last beat was lost counts as alive at the latest instant that the beat can have had.
  const lostBefore = deps.alive.beatsLostBefore?.();
  if (lostBefore !== undefined) raise(seen, Math.min(lostBefore, clock.now()));

  const waitForComeback = createComebackWait(deps, seen);
  const applyStep = (): void => {
    const byMs = deps.steps?.settle() ?? 0;
    if (byMs === 0) return;
    moveSeen(seen, byMs);
    // Work in progress holds instants of the old clock. The floor makes sure that no node is judged by them.
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
    if (waitForComeback(now)) returns += 1;
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
