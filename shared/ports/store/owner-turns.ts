import type { EpochMs } from '../../kube/values/time.ts';

/** What a commit of a child requires: nobody has begun a later turn of the owner since. */
export interface TurnCheck {
  /** Uid of the owner. */
  readonly owner: string;
  readonly number: number;
}

/** A turn that a run has begun. */
export interface BegunTurn extends TurnCheck {
  /** Random id of the run. */
  readonly run: string;
}

/** What became of an attempt to begin a turn. */
export type TurnStart =
  | {
      readonly outcome: 'begun';
      readonly turn: BegunTurn;
      /** The turn before was not ended: its run has crashed or is slow, and writes of it may not be visible yet. */
      readonly isTakenOver: boolean;
    }
  /** Another run has the turn. It is marked: it looks once more before it ends its turn. */
  | { readonly outcome: 'held'; readonly until: EpochMs; readonly wasMarked: boolean };

/** What became of an attempt to end a turn. `wanted`: the mark was cleared, so look again. `lost`: another run has taken over. */
export type TurnEnd = 'ended' | 'wanted' | 'lost';

/**
 * Turns: for one owner, one run at a time makes and removes children. A run begins a turn, then raises its number to where commits
 * check it (`Commit.turn`), then reads. Once the number is raised, no run with a lower one can commit a child any more.
 */
export interface OwnerTurnStore {
  /**
   * Begins a turn for `leaseMs` milliseconds if none is running, or if the one that is has expired. Ignores a lease that ends
   * later than one that begins now: the clock was set back since. Otherwise marks the turn that is running.
   */
  begin(owner: string, run: string, now: EpochMs, leaseMs: number): Promise<TurnStart>;
  /** Makes commits with a lower number fail from now on; `false` if a higher one was raised before. */
  raise(turn: BegunTurn, now: EpochMs): Promise<boolean>;
  /** Prolongs the turn to `leaseMs` milliseconds after `now`; `false` if another run has taken over. */
  renew(turn: BegunTurn, now: EpochMs, leaseMs: number): Promise<boolean>;
  /** Ends the turn unless it was marked. Where answers are lost, one that has ended ends again if no later one has followed; elsewhere it is lost. */
  end(turn: BegunTurn): Promise<TurnEnd>;
}

/** Milliseconds after its last use for which a turn is stored. Its numbers go on from the clock after that. */
export const TURN_RETENTION_MS = 7 * 24 * 60 * 60_000;

/** The number of the next turn. It is never lower than a number that was forgotten, because numbers begin with the clock. */
export const nextTurn = (before: number | undefined, now: EpochMs): number =>
  Math.max((before ?? 0) + 1, now);
