/** Where events come from: the log of a resource, a scan that is repeated, or a server upstream. */

/** Events of one source are in the order of their positions; several may share one. */
export interface Positioned {
  readonly position: number;
}

/** What follows one position. Only one caller polls at a time. */
export interface Feed<E extends Positioned> {
  /**
   * Events after the position, in order, each once; the position moves past them. None: nothing new yet.
   * Throws 410 `Expired` when what follows the position is no longer known.
   */
  poll(): Promise<readonly E[]>;
  /** Everything up to here was returned. */
  position(): number;
  /** Milliseconds after which another poll is worth while, unless somebody says sooner that there is news. */
  restMs(): number;
  /** Nobody polls any more: what it holds open is closed. */
  close?(): void;
}

export interface Source<E extends Positioned> {
  /** Where a feed begins that shows only what happens from now on, for a subscriber who wants what follows `wanted`. */
  head(wanted?: number): Promise<number>;
  /** What follows `after`, exclusive. */
  follow(after: number): Feed<E>;
  /** Nobody listens any more: what was kept for listeners may go. */
  release?(): void;
}
