/** What is stored of a relay: who is on its roster, and when it last heard each of them. */
import type { EpochMs } from '../../kube/values/time.ts';

/** Most nodes of one part of a relay: a batch of them is one request and one write of 1 WRU. */
export const MOST_IN_PART = 100;
/** Most parts of a relay. */
export const MOST_PARTS = 1_000;

/** One part of a relay. A relay with more than `MOST_IN_PART` nodes has several, each with its own sequence. */
export interface RelayPart {
  readonly relay: string;
  readonly part: number;
}

/** A node that has shown its token to the relay. */
export interface RosterEntry {
  readonly name: string;
  /** Uid of the Node that the token was made for. */
  readonly uid: string;
  /** When that token expires (ms): the relay may speak for the node until then. */
  readonly untilAt: EpochMs;
  /** Revision of the roster that put the node here: ages that were stored with an older one are not the node's. */
  readonly since: number;
}

/** Who is on the roster. The place of an entry is that of the node's age in `RelayBeats`. */
export interface RelayRoster {
  readonly revision: number;
  readonly entries: readonly RosterEntry[];
  /** When the relay was last deleted (ms): its tokens from before do not count. */
  readonly closedAt?: EpochMs;
}

/** A sign of life: its age (ms) when the batch was received, and whether it was a plain heartbeat. */
export interface RelayedAge {
  readonly ageMs: number;
  readonly isPlain: boolean;
}

/** An age for each place on a roster: milliseconds × 2, and 1 more for a plain heartbeat; 2³² − 1: the relay has not heard the node. See `packed-ages.ts`. */
export type PackedAges = Readonly<Uint32Array>;

/** When a relay last heard its nodes, as of its last batch. */
export interface RelayBeats {
  /** Number of the last batch that was accepted. */
  readonly sequence: number;
  /** When it was received (ms, our clock). */
  readonly receivedAt: EpochMs;
  /** Revision of the roster at that time. */
  readonly roster: number;
  /** By place on the roster. */
  readonly ages: PackedAges;
  /** The last `receivedAt` that was taken back because it was ahead of the clock of the pass that read it. */
  readonly aheadAt?: EpochMs;
}

/** What is stored of one part of a relay. */
export interface RelayRecord {
  readonly roster?: RelayRoster;
  readonly beats?: RelayBeats;
  /** How often the nodes of the roster got new work; absent: never. */
  readonly workChanges?: number;
}
