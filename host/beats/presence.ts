/** Notices absences of the host. The silence of a node during an absence is no reason to act against it. */
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { AbsenceBook } from '../../shared/ports/store/control-store.ts';
import {
  type Absence,
  gapOf,
  lastReturn,
  movedAbsences,
  unnoticedMs,
  withAbsence,
} from '../../shared/rules/absences/absence.ts';
import { beatIntervalMs, comingMs } from '../../shared/rules/absences/comeback.ts';
import { deletionsRestAfter, quietAfter } from '../../shared/rules/absences/rests.ts';
import { beatsDueMs } from '../../shared/rules/absences/silence.ts';
import type { NodeLifecycleConfig } from '../../shared/settings/node-lifecycle.ts';
import type { ClockSteps } from '../folder/clock-steps.ts';
import { createComeback } from './restart-warm-up.ts';

export interface PresenceDeps {
  readonly clock: Pick<Clock, 'now'>;
  /** The stored absences. */
  readonly absences: AbsenceBook;
  /** The stored sign of life. */
  readonly alive: {
    keepAlive(now: EpochMs): void;
    lastAlive(): EpochMs | undefined;
    /** Beats of an earlier process before this instant may be lost; `undefined` if none are. */
    beatsLostBefore?(): EpochMs | undefined;
    /** How many nodes that an earlier process has heard have been heard by this one. */
    heardAgain?(): number;
  };
  readonly config: Pick<NodeLifecycleConfig, 'nodeMonitorPeriodMs' | 'nodeMonitorGracePeriodMs'>;
  /** Processor time of this process so far, ms. A host that was busy was not away. */
  readonly busyMs?: () => number;
  readonly steps?: ClockSteps;
  /** Called after an absence of `awayMs` that is long enough for nodes to miss a beat; they get `excuseMs` to send one. */
  readonly onReturn: (awayMs: number, excuseMs: number) => void;
  /** Called once if nodes get more time, because many of them are still on their way. */
  readonly onLateComeback?: () => void;
}

export interface Presence {
  /**
   * Notices absences and steps of the clock, and stores the sign of life. Call it often, and first when requests are accepted.
   * Resolves when the absence is stored. Rejects if it cannot be stored.
   */
  observe(): Promise<void>;
  /** No node gets a NoExecute taint before this instant (ms); 0 if there was no absence. */
  quietUntil(): EpochMs;
  /** Before this instant (ms) nodes are still coming back: their next beats are due after a return, or after the clock was set. */
  comebackUntil(): EpochMs;
  /** No pod is evicted because its node is not-ready or unreachable before this instant, ms. */
  deletionsRestUntil(): EpochMs;
  /**
   * Counts returns, steps of the clock, and beginnings of a wait for nodes that still come back. Work that began under another count must
   * be decided again.
   */
  returns(): number;
}

/** What is known of absences. All instants move when the clock is set. */
interface Seen {
  /** When the host was last seen alive. */
  lastSeen: EpochMs | undefined;
  absences: readonly Absence[];
  /** Whether the absences are not stored as they are. */
  isOwed: boolean;
}

const note = (seen: Seen, absence: Absence): void => {
  seen.absences = withAbsence(seen.absences, absence);
  seen.isOwed = true;
};

const moveSeen = (seen: Seen, byMs: number): void => {
  if (seen.lastSeen !== undefined) seen.lastSeen += byMs;
  seen.absences = movedAbsences(seen.absences, byMs);
};

/** Each commit looks. Processor time is asked for once in this share of the shortest absence: so much older than the look it may be. */
const MEASURED_SHARE = 1 / 32;

/** The processor time since the last look, ms; 0 until it is asked for again. */
const createWork = (busyMs: () => number, graceMs: number): ((now: EpochMs) => number) => {
  let [at, busy] = [Number.NEGATIVE_INFINITY, busyMs()];
  return (now) => {
    if (now >= at && now - at < unnoticedMs(graceMs) * MEASURED_SHARE) return 0;
    const before = busy;
    [at, busy] = [now, busyMs()];
    return busy - before;
  };
};

/** Measures the time since the host was last seen alive: at first by an earlier process, then by itself. */
const createGaps = ({ busyMs = () => 0, config }: PresenceDeps, seen: Seen) => {
  const { nodeMonitorGracePeriodMs: graceMs } = config;
  const workUntil = createWork(busyMs, graceMs);
  let isOfThisProcess = false;
  return {
    /** The time in which no beat could be stored until `now`; `undefined`: there was none. */
    next: (now: EpochMs): Absence | undefined => {
      const spentMs = workUntil(now);
      const work = isOfThisProcess ? { busyMs: spentMs } : undefined;
      const gap = seen.lastSeen === undefined ? undefined : gapOf(seen.lastSeen, now, work, graceMs);
      [seen.lastSeen, isOfThisProcess] = [now, true];
      return gap;
    },
    /** Counts the next gap as an absence, however busy the process was: it could store nothing. */
    forgetWork: () => {
      isOfThisProcess = false;
    },
  };
};

/** Stores that the host is alive. A host that can store nothing refuses beats: it counts as away until a store succeeds. */
const createAliveMark = ({ alive, absences }: PresenceDeps, seen: Seen) => {
  let isStoring = true;
  return {
    isStoring: () => isStoring,
    /** First the absences: a crash in between makes the last one longer. Throws where the database does. */
    store: (at: EpochMs): void => {
      isStoring = false;
      if (seen.isOwed) absences.recordAbsences(seen.absences);
      seen.isOwed = false;
      alive.keepAlive(at);
      isStoring = true;
    },
  };
};

/**
 * Nodes that are still on their way after the time between two beats get as much again, at each look: the host counts as away until then.
 * Tells whether something rests by that which did not rest before.
 */
const createComebackWait = (deps: PresenceDeps, seen: Seen): ((now: EpochMs) => boolean) => {
  const { busyMs = () => 0, alive, clock, config } = deps;
  const { heardAgain = () => 0 } = alive;
  const comingForMs = createComeback({ heardAgain, busyMs }, clock.now());
  const { nodeMonitorGracePeriodMs: graceMs, nodeMonitorPeriodMs: periodMs } = config;
  const waitMs = comingMs(graceMs);
  let isTold = false;
  return (now) => {
    const forMs = comingForMs(now);
    const backAt = now - waitMs;
    if (forMs <= waitMs || backAt <= lastReturn(seen.absences)) return false;
    if (!isTold) deps.onLateComeback?.();
    isTold = true;
    const rested = Math.min(
      quietAfter(seen.absences, graceMs),
      deletionsRestAfter(seen.absences, graceMs, periodMs),
    );
    // Those that come have not beaten since the time between two beats before.
    note(seen, { goneAt: now - forMs - waitMs, backAt });
    return rested <= now;
  };
};

/** What the absences and the settings say. */
const createRests = ({ config }: PresenceDeps, seen: Seen) => {
  const { nodeMonitorGracePeriodMs: graceMs, nodeMonitorPeriodMs: periodMs } = config;
  return {
    quietUntil: () => quietAfter(seen.absences, graceMs),
    deletionsRestUntil: () => deletionsRestAfter(seen.absences, graceMs, periodMs),
    comebackUntil: () =>
      seen.absences.length === 0
        ? 0
        : lastReturn(seen.absences) + beatsDueMs(beatIntervalMs(config), graceMs),
  };
};

/** The absence before this process, if beats of an earlier one may be lost. */
const noteLostBeats = ({ alive, clock }: PresenceDeps, seen: Seen): void => {
  const before = alive.beatsLostBefore?.();
  if (before === undefined) return;
  const now = clock.now();
  const lostAt = Math.min(before, now);
  note(seen, { goneAt: seen.lastSeen ?? lostAt, backAt: now, lostAt });
};

/**
 * Notices that the host was away: not running, suspended, or unable to store heartbeats. It stores the absence, and evictions wait after a
 * longer one. `shared/rules/absences` has the rules.
 */
export const createPresence = (deps: PresenceDeps): Presence => {
  const { clock, config } = deps;
  const { nodeMonitorGracePeriodMs: graceMs } = config;
  const seen: Seen = {
    lastSeen: deps.alive.lastAlive(),
    absences: deps.absences.absences(),
    isOwed: false,
  };
  const gaps = createGaps(deps, seen);
  const mark = createAliveMark(deps, seen);
  const rests = createRests(deps, seen);
  let returns = 0;
  noteLostBeats(deps, seen);

  const waitForComeback = createComebackWait(deps, seen);
  const applyStep = (): void => {
    const byMs = deps.steps?.settle() ?? 0;
    if (byMs === 0) return;
    moveSeen(seen, byMs);
    // Requests in progress hold instants of the old clock: their beats may be lost.
    const now = clock.now();
    note(seen, { goneAt: now, backAt: now, lostAt: now });
    returns += 1;
  };
  const notice = (now: EpochMs): void => {
    if (!mark.isStoring()) return;
    const gap = gaps.next(now);
    if (!gap) return;
    note(seen, gap);
    const awayMs = gap.backAt - gap.goneAt;
    // Each return costs the ticks of two minutes, and a busy host pauses often.
    if (awayMs <= comingMs(graceMs)) return;
    returns += 1;
    deps.onReturn(awayMs, rests.quietUntil() - now);
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
    // If it cannot be stored, the host has been away since before.
    seen.lastSeen = before;
    mark.store(now);
    seen.lastSeen = now;
  };
  const afterLook =
    <T>(read: () => T) =>
    (): T => {
      look();
      return read();
    };
  return {
    observe,
    quietUntil: afterLook(rests.quietUntil),
    comebackUntil: afterLook(rests.comebackUntil),
    deletionsRestUntil: afterLook(rests.deletionsRestUntil),
    returns: afterLook(() => returns),
  };
};
