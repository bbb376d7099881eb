import type { EpochMs } from '../api/time.ts';
import type { StoredDeadline } from '../domain/pods/taint-eviction.ts';
import type { Limiter } from '../domain/zones/rate-limiter.ts';
import type { ZoneState } from '../domain/zones/zone-disruption.ts';
import type { Eventual } from './eventual.ts';

/** State of one zone: written by the monitor's passes, its limiter and wake-up also by the eviction workers. */
export interface ZoneRecord {
  /** DNS name of the zone, see `zoneIdOf`. */
  readonly id: string;
  /** Zone key, `region:\0:zone`. */
  readonly key: string;
  readonly state: ZoneState | 'Initial';
  readonly size: number;
  readonly notReady: number;
  readonly limiter: Limiter;
  /** Names that wait for a NoExecute taint, longest first; only the head of the line. */
  readonly waiting: readonly string[];
  /** How many wait in all. */
  readonly waitingCount: number;
  /** Instant for which a wake-up is on its way. */
  readonly wakeAt?: EpochMs;
  /** Number of the pass that wrote `state` … `waiting`. */
  readonly pass: number;
  readonly updatedAt: EpochMs;
}

/** The monitor's part of a zone record. */
export type ZonePassWrite = Omit<ZoneRecord, 'wakeAt'>;

/** One item: who may run a pass, and the clock floor. */
export interface PassRecord {
  readonly pass: number;
  readonly lastTick: EpochMs;
  readonly leaseUntil: EpochMs;
  /** No sign of life counts as older than this. 0: none. */
  readonly clockFloor: EpochMs;
  /** Zone records of a lower pass are ignored: they were written before full disruption was left. */
  readonly floorPass: number;
}

export interface PodDeadline extends StoredDeadline {
  readonly namespace: string;
  readonly name: string;
  readonly nodeName: string;
}

export type PodName = Pick<PodDeadline, 'namespace' | 'name'>;

export interface DeadlineWrite {
  readonly deadline: PodDeadline;
  readonly expiresAt: EpochMs;
  /** The deadline of this pod that was read and no longer holds. */
  readonly replaces?: Pick<PodDeadline, 'start' | 'fireAt'>;
}

/** No pass runs more than this (ms) before its tick: a `lastTick` further ahead is from before the clock was set back. */
export const TICK_AHEAD_MS = 10_000;

/** The `control` table beside the counters. Reads are consistent unless typed `Eventual`. */
export interface ControlStore {
  /**
   * Starts the pass for a tick: only if `tick` is newer than the last one and no lease is held at `now`. A last tick more than
   * `TICK_AHEAD_MS` ahead of `now` is not believed, and neither is a lease that ends later than one that begins now.
   */
  startPass(tick: EpochMs, now: EpochMs, leaseMs: number): Promise<PassRecord | undefined>;
  /** Ends the lease of `pass`; an older pass changes nothing. */
  endPass(pass: number, now: EpochMs): Promise<void>;
  readPass(): Promise<PassRecord | undefined>;
  /** Leaving full disruption: floor and pass number in one write; `false` if a later pass has written. */
  raiseClockFloor(clockFloor: EpochMs, pass: number): Promise<boolean>;

  zones(): Promise<readonly ZoneRecord[]>;
  zone(id: string): Promise<ZoneRecord | undefined>;
  /**
   * Writes what a pass found: only over a record of a lower pass, and only while the stored limiter is the one
   * that was read (`readLimiter`, `undefined`: no record); `false` otherwise.
   */
  writeZone(zone: ZonePassWrite, readLimiter: Limiter | undefined): Promise<boolean>;
  /** Removes a zone without nodes, unless a later pass has written it. */
  dropZone(id: string, pass: number): Promise<void>;
  /** Takes a token: only while the limiter is the one that was read and its rate is above 0. */
  swapLimiter(id: string, read: Limiter, next: Limiter): Promise<boolean>;
  /** Moves the instant of the wake-up; who gets `true` sends the message. */
  moveWakeAt(id: string, read: EpochMs | undefined, next: EpochMs): Promise<boolean>;
  /** Nothing to do: clears the wake-up, only if the names are still those that were read. */
  clearWakeAt(id: string, read: EpochMs, waiting: readonly string[]): Promise<boolean>;

  /** Deadlines of pods, in their order, of whatever uid. */
  deadlines(pods: readonly PodName[]): Promise<readonly (PodDeadline | undefined)[]>;
  /**
   * Stores deadlines of different pods, each where none is, or one of another uid, or the very one that it replaces.
   * Returns for each the one that stands: itself, or what is there instead. Not all of them may be stored when it throws.
   */
  storeDeadlines(writes: readonly DeadlineWrite[]): Promise<readonly PodDeadline[]>;
  /** Deletes deadlines of different pods, each of its uid only. Not all of them may be gone when it throws. */
  deleteDeadlines(pods: readonly (PodName & Pick<PodDeadline, 'uid'>)[]): Promise<void>;
  /** Deadlines with `fireAt` at or before `before`. */
  dueDeadlines(before: EpochMs): Promise<Eventual<readonly PodDeadline[]>>;
}
