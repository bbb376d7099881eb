/** Sources of events: the change log of a resource, a repeated scan, or an upstream server. */

/** Something at a position. Events of one source are in the order of their positions; several may share a position. */
export interface Positioned {
  readonly position: number;
  /** Characters of the JSON that it keeps in memory; absent: few. */
  readonly characters?: number;
}

/** Reads the events after one position. Only one caller polls at a time. */
export interface Feed<E extends Positioned> {
  /**
   * Returns the events after the position, in order and each once, and moves the position past them; none if
   * there is nothing new. Throws 410 `Expired` when the events after the position are no longer kept.
   */
  poll(): Promise<readonly E[]>;
  /** All events up to this position were returned. */
  position(): number;
  /** Milliseconds until the next poll is worth while, unless a notification comes earlier. */
  restMs(): number;
  /** Called when polling ends: closes what the feed holds open. */
  close?(): void;
}

/** A source of events. */
export interface Source<E extends Positioned> {
  /**
   * The position where a feed begins that shows only new events, for a subscriber that wants the events after
   * `wanted`.
   */
  head(wanted?: number): Promise<number>;
  /** A feed of the events after `after`, exclusive. */
  follow(after: number): Feed<E>;
  /** Called when there are no subscribers: frees what was kept for them. */
  release?(): void;
}
