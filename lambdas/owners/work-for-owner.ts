/** Looks at an owner within its turn, and says when to look again. */
import {
  inTurn,
  type OwnerTurn,
  type OwnerTurnDeps,
  TurnLost,
} from '../../shared/store/turns/owner-turns.ts';

/** What became of the work for an owner. */
export interface OwnerWork<R> {
  /** What each look reported. */
  readonly reports: readonly R[];
  /** Another run had the turn, or took it: it looks at the owner and its children, but does not know what else the message says. */
  readonly isLeftToOther: boolean;
  /** Seconds after which the message is to be sent again; absent: not needed for the sake of the turn. */
  readonly againSeconds?: number;
}

/**
 * Looks at an owner while no other run does. A run that has lost its turn ends: the one that has taken over began later, so it sees what
 * this one was called for. Rejects if a look does.
 */
export const workForOwner = async <R>(
  deps: OwnerTurnDeps,
  uid: string,
  look: (turn: OwnerTurn) => Promise<R>,
): Promise<OwnerWork<R>> => {
  try {
    const turn = await inTurn(deps, uid, look);
    if (turn.outcome === 'done')
      return { reports: turn.results, isLeftToOther: false, ...(turn.isWanted ? { againSeconds: 0 } : {}) };
    const againSeconds = Math.ceil(turn.afterMs / 1000);
    return { reports: [], isLeftToOther: true, ...(turn.isFirst ? { againSeconds } : {}) };
  } catch (error) {
    if (error instanceof TurnLost) return { reports: [], isLeftToOther: true };
    throw error;
  }
};
