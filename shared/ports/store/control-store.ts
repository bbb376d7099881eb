import type { EpochMs } from '../../kube/values/time.ts';
import type { Absence } from '../../rules/absences/absence.ts';
import type { HoldBook } from '../../rules/holds/hold-book.ts';
import type { NodesCounter } from '../../rules/nodes/calm.ts';
import type { StoredDeadline } from '../../rules/pods/taint-eviction.ts';
import type { Limiter } from '../../rules/zones/rate-limiter.ts';
import type { ZoneFacts } from '../../rules/zones/zone-facts.ts';
import type { Eventual } from './eventual.ts';

/** State of one zone: written by the monitor's passes, its limiter and wake-up also by the eviction workers. */
export interface ZoneRecord extends ZoneFacts {
  /** Instant for which a wake-up message was sent. */
  readonly wakeAt?: EpochMs;
  /** Number of the pass that wrote `state` … `waiting`. */
  readonly pass: number;
}

/** The monitor's part of a zone record. */
export type ZonePassWrite = Omit<ZoneRecord, 'wakeAt'>;

/** One item: the lease of the monitor's pass, the clock floor, and what the last pass that came to its end said about the next ones; see `calm.ts`. */
export interface PassRecord extends Partial<PassCalm> {
  readonly pass: number;
  readonly lastTick: EpochMs;
  readonly leaseUntil: EpochMs;
  /** Beats older than this count as of this instant. 0: no floor. */
  readonly clockFloor: EpochMs;
  /** The last clock floor that was taken back because it was ahead of the clock of the pass that read it. */
  readonly aheadFloor?: EpochMs;
  /** When the last pass began that came to its end, and how many nodes it read; absent before the first. */
  readonly completedAt?: EpochMs;
  readonly completedNodes?: number;
  /** Until when ticks are queued; absent where each run queues those of its two minutes. */
  readonly queuedUntil?: EpochMs;
  /** Zone records of a lower pass are ignored: they were written before full disruption ended. */
  readonly floorPass: number;
  /** When the host was away, the oldest one first; absent where there is no host. */
  readonly absences?: readonly Absence[];
}

/** Where the process that holds the state notes that it was away. At once: a crash must not come between a note and the sign of life. */
export interface AbsenceBook {
  /** As `PassRecord`. */
  absences(): readonly Absence[];
  /** Replaces the list. Only the one process that holds the state calls it. Throws where the database does. */
  recordAbsences(absences: readonly Absence[]): void;
}

/** How far the Nodes had changed for a pass, and until when (ms) no other can find anything while they do not. */
export interface PassCalm extends NodesCounter {
  /** See `calmUntil` of the rules. */
  readonly calmUntil: EpochMs;
}

/** When a pass began (ms) that came to its end, and how many nodes it read. */
export interface CompletedPass {
  readonly at: EpochMs;
  readonly nodes: number;
  /** Absent where no pass is left out. */
  readonly calm?: PassCalm;
}

/** The last pass, and how far the Nodes have changed. */
export interface PassAndCounter {
  /** `undefined`: before the first. */
  readonly pass: PassRecord | undefined;
  /** As in `NodesCounter`: every change that is committed later takes a higher one, and those of earlier ones may still be under way. */
  readonly counter: number;
}

/** The stored deadline of a pod, with the pod's name and node. */
export interface PodDeadline extends StoredDeadline {
  readonly namespace: string;
  readonly name: string;
  readonly nodeName: string;
}

/** Key of a pod's deadline. */
export type PodName = Pick<PodDeadline, 'namespace' | 'name'>;

/** A deadline to store. */
export interface DeadlineWrite {
  readonly deadline: PodDeadline;
  readonly expiresAt: EpochMs;
  /** The obsolete deadline of this pod that was read and is to be replaced. */
  readonly replaces?: Pick<PodDeadline, 'start' | 'fireAt'>;
}

/**
 * What controllers remember, most of it of an instant: pod-gc when it first saw that a node is gone, the uid and boot that the Node had while its pods are left, and the last or planned look at the
 * terminated pods; drain the next look that is planned at a node or a NodeMaintenance; attach-detach since when nobody wants a VolumeAttachment, or a node waits;
 * volume-attacher the next look at a VolumeAttachment; node-monitor when it has told the state of a zone or a site, and what it has found of a relay; event-sender how the deliveries to a sink have ended, and until when one of its runs sends; cloud-node the Node of a machine, another Node that names the machine, too, the last sweep of all Nodes, and when a drain is due that a cloud has announced; change-router until when a stack has announced changes.
 */
export interface Sighting {
  readonly topic:
    | 'absent-node'
    | 'former-node'
    | 'terminated-pods'
    | 'drain'
    | 'maintenance'
    | 'unwanted-volume'
    | 'volume-wait'
    | 'disk-try'
    | 'instance'
    | 'instance-rival'
    | 'cloud-sweep'
    | 'planned-drain'
    | 'told'
    | 'routed'
    | 'sink';
  /** Name of the node, NodeMaintenance or VolumeAttachment, `zone/<name>` or `site/<relay>` of what was told, `relay/<name>` of what was found, for attach-detach with what it is about, of the machine as its cloud says it, or of the stack; `''` for looks and sweeps. */
  readonly name: string;
  /**
   * Uid that the node had, or that of the VolumeAttachment; `''` if nobody has known it, and for looks and sweeps. Of a machine: the name of
   * its Node. Of a look that is planned at a node or a NodeMaintenance: its token. Of one at a VolumeAttachment: its uid, what is to be done, and
   * how often it was looked at in vain. Of what was told: the state. Of a relay: what was found, as JSON. Of a sink: its `SinkState` as JSON.
   */
  readonly uid: string;
  readonly since: EpochMs;
}

/** Key of a sighting. */
export type SightingKey = Pick<Sighting, 'topic' | 'name'>;

/** A pass runs at most this long (ms) before its tick. A `lastTick` further ahead was stored before the clock was set back. */
export const TICK_AHEAD_MS = 10_000;

/** The `control` table without the counters. Reads are consistent unless typed `Eventual`. */
export interface ControlStore {
  /**
   * Starts the pass for a tick, only if `tick` is newer than the last one and no lease is held at `now`; otherwise `undefined`.
   * Ignores a last tick more than `TICK_AHEAD_MS` ahead of `now`, and a lease that ends later than a lease that begins now.
   */
  startPass(tick: EpochMs, now: EpochMs, leaseMs: number): Promise<PassRecord | undefined>;
  /** Ends the lease of `pass`, and notes what it was if it came to its end; an older pass changes nothing. */
  endPass(pass: number, now: EpochMs, completed?: CompletedPass): Promise<void>;
  /** Stores until when ticks are queued, only while what is stored is what was read (`undefined`: nothing); `false` otherwise. */
  noteQueued(read: EpochMs | undefined, until: EpochMs): Promise<boolean>;
  /** The last pass; `undefined` before the first. */
  readPass(): Promise<PassRecord | undefined>;
  /** The same with the counter of the resource `nodes`, in one request. */
  readPassAndCounter(): Promise<PassAndCounter>;
  /** Full disruption ended: writes floor and pass number together; `false` if a later pass has written. */
  raiseClockFloor(clockFloor: EpochMs, pass: number): Promise<boolean>;
  /** Replaces a clock floor that is ahead by `now`, and keeps it as `aheadFloor`; only if it is still `read`, `false` otherwise. */
  takeBackClockFloor(read: EpochMs, now: EpochMs): Promise<boolean>;

  /** All zone records, also those that `isCurrentZone` refuses. */
  zones(): Promise<readonly ZoneRecord[]>;
  /** The record of one zone, also one that `isCurrentZone` refuses. */
  zone(id: string): Promise<ZoneRecord | undefined>;
  /**
   * Writes the result of a pass, only over a record of a lower pass and only while the stored limiter is the one
   * that was read (`readLimiter`, `undefined`: no record); `false` otherwise.
   */
  writeZone(zone: ZonePassWrite, readLimiter: Limiter | undefined): Promise<boolean>;
  /** Removes a zone without nodes, unless a later pass has written it. */
  dropZone(id: string, pass: number): Promise<void>;
  /** Takes a token, only while the limiter is the one that was read and its rate is above 0; `false` otherwise. */
  swapLimiter(id: string, read: Limiter, next: Limiter): Promise<boolean>;
  /** Moves the instant of the wake-up. The caller that gets `true` sends the message. */
  moveWakeAt(id: string, read: EpochMs | undefined, next: EpochMs): Promise<boolean>;
  /** Clears the wake-up because no node waits, only if `waiting` is still what was read. */
  clearWakeAt(id: string, read: EpochMs, waiting: readonly string[]): Promise<boolean>;

  /** Deadlines of the pods, in the order of `pods`, for any uid. */
  deadlines(pods: readonly PodName[]): Promise<readonly (PodDeadline | undefined)[]>;
  /**
   * Stores deadlines of different pods. Each is stored only if the pod has no deadline, one of another uid, or the one that it
   * `replaces`. Returns for each the deadline that is stored now. When it throws, some may have been stored.
   */
  storeDeadlines(writes: readonly DeadlineWrite[]): Promise<readonly PodDeadline[]>;
  /** Deletes deadlines of different pods, each only if its uid matches. When it throws, some may have been deleted. */
  deleteDeadlines(pods: readonly (PodName & Pick<PodDeadline, 'uid'>)[]): Promise<void>;
  /** Deadlines with `fireAt` at or before `before`. */
  dueDeadlines(before: EpochMs): Promise<Eventual<readonly PodDeadline[]>>;

  /** The sighting; `undefined`: there is none. */
  sighting(key: SightingKey): Promise<Sighting | undefined>;
  /** All sightings of a topic, or those whose names begin so, in no order. */
  sightings(topic: Sighting['topic'], prefix?: string): Promise<readonly Sighting[]>;
  /**
   * Stores `next`, or deletes the sighting (`undefined`), only while the stored one is the one that was `read` (`undefined`: none);
   * `false` otherwise.
   */
  replaceSighting(key: SightingKey, read: Sighting | undefined, next: Sighting | undefined): Promise<boolean>;

  /** The book of holds; `undefined` before the first hold. It may be of a form that this version does not know, see `HoldBook.v`. */
  holdBook(): Promise<HoldBook | undefined>;
  /** Stores the next book, only while the epoch of the stored one is `read` (0: there is none); `false` otherwise. */
  replaceHoldBook(read: number, next: HoldBook): Promise<boolean>;
}
