/** Lets one run at a time make and remove the children of an owner. */
import type { EpochMs } from '../../kube/values/time.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { IdSource } from '../../ports/process/id-source.ts';
import type { ObjectStore } from '../../ports/store/object-store.ts';
import type { BegunTurn, OwnerTurnStore, TurnCheck } from '../../ports/store/owner-turns.ts';
import { CLOCK_SKEW_MS } from '../../rules/zones/future-instants.ts';

/** Milliseconds for which a run has the turn without renewing it. */
export const TURN_LEASE_MS = 20_000;
/**
 * A run renews its turn when less than this is left (ms): more than a part of its work takes. So nobody takes over within this time
 * after `OwnerTurn.keep`.
 */
export const RENEW_BEFORE_MS = 12_000;
/** The most looks of one turn. After them the run gives the turn back, so that other owners get their turns, too. */
const MOST_ROUNDS = 4;

/** Another run has the turn. What this run has written stands; it must write nothing more. */
export class TurnLost extends Error {
  override readonly name = 'TurnLost';
}

/** The turn of a run, as its work sees it. */
export interface OwnerTurn {
  /**
   * Raises the turn, once, so that no earlier run can commit a child any more; returns the condition that each write of a child carries.
   * What is written must follow from reads that come after the first call. Throws `TurnLost`.
   */
  fence(): Promise<TurnCheck>;
  /** Whether `fence` was called. */
  isFenced(): boolean;
  /** Call it before each part of the work: prolongs the turn if it is about to end. Throws `TurnLost`. */
  keep(): Promise<void>;
}

/** How a turn went. */
export type TurnOutcome<R> =
  /** `isWanted`: others have asked for one more look, but the turn has had its looks: send the message again. */
  | { readonly outcome: 'done'; readonly results: readonly R[]; readonly isWanted: boolean }
  /**
   * Another run has the turn, and looks once more before it ends it. If `isFirst`, look again after `afterMs`, never earlier: that run
   * may have crashed, and a look that finds its lease not over is not the first any more, so it would be the last.
   */
  | { readonly outcome: 'held'; readonly isFirst: boolean; readonly afterMs: number };

/** What a turn needs. */
export interface OwnerTurnDeps {
  readonly ownerTurns: OwnerTurnStore;
  readonly objects: Pick<ObjectStore, 'lag'>;
  readonly clock: Clock;
  readonly ids: IdSource;
}

const createTurn = ({ ownerTurns, clock }: OwnerTurnDeps, turn: BegunTurn): OwnerTurn => {
  let until = clock.now() + TURN_LEASE_MS;
  let isRaised = false;
  return {
    isFenced: () => isRaised,
    fence: async () => {
      if (!isRaised && !(await ownerTurns.raise(turn, clock.now())))
        throw new TurnLost('a later turn has begun');
      isRaised = true;
      return { owner: turn.owner, number: turn.number };
    },
    keep: async () => {
      const now = clock.now();
      // A clock that was set back must not make the turn look longer than it is.
      if (until - now > RENEW_BEFORE_MS && until - now <= TURN_LEASE_MS) return;
      if (!(await ownerTurns.renew(turn, now, TURN_LEASE_MS))) throw new TurnLost('another run has the turn');
      until = now + TURN_LEASE_MS;
    },
  };
};

/** How a turn is used. */
export interface TurnOptions {
  /** Whether commits check the turn (default). If not, its number need not be raised, which saves eight writes. */
  readonly isChecked?: boolean;
}

/** Waits until reads show all that the run before may have committed, and keeps the turn meanwhile. */
const awaitVisible = async ({ objects, clock }: OwnerTurnDeps, turn: OwnerTurn): Promise<void> => {
  for (let left = objects.lag.tableMs; left > 0; left -= RENEW_BEFORE_MS / 2) {
    await clock.sleep(Math.min(left, RENEW_BEFORE_MS / 2));
    await turn.keep();
  }
};

/** Looks until nobody has asked for one more look; `true` if the rounds end before that. */
const looks = async <R>(
  { ownerTurns }: OwnerTurnDeps,
  begun: BegunTurn,
  look: () => Promise<R>,
  results: R[],
): Promise<boolean> => {
  for (let round = 1; ; round += 1) {
    if (round <= MOST_ROUNDS) results.push(await look());
    const end = await ownerTurns.end(begun);
    if (end === 'lost') throw new TurnLost('another run has the turn');
    if (end === 'ended') return round > MOST_ROUNDS;
  }
};

/**
 * What `decide` returns. If it wants to write children, it is called again after the turn was raised: only what it has read since then
 * cannot change by an earlier run. Most looks write no children, and cost no raise.
 */
export const decideFenced = async <D>(
  turn: OwnerTurn,
  decide: () => Promise<D>,
  writesChildren: (decision: D) => boolean,
): Promise<D> => {
  const first = await decide();
  if (turn.isFenced() || !writesChildren(first)) return first;
  await turn.fence();
  return decide();
};

/**
 * Runs `look` while no other run works for the owner (`owner` is its uid). `look` reads the owner first, then its children, and
 * writes children with the condition of `fence`; it is called again while others ask for it. If it throws, the turn is left to expire: a commit whose
 * fate nobody knows may still become visible, and whoever takes over an expired turn waits for that. Throws `TurnLost` if this run
 * was too slow.
 */
export const inTurn = async <R>(
  deps: OwnerTurnDeps,
  owner: string,
  look: (turn: OwnerTurn) => Promise<R>,
  { isChecked = true }: TurnOptions = {},
): Promise<TurnOutcome<R>> => {
  const { ownerTurns, clock, ids } = deps;
  const start = await ownerTurns.begin(owner, ids.uuid(), clock.now(), TURN_LEASE_MS);
  if (start.outcome === 'held') {
    // By the clock of any process: the next look may be another one's.
    const afterMs = Math.max(0, start.until - clock.now()) + CLOCK_SKEW_MS;
    return { outcome: 'held', isFirst: !start.wasMarked, afterMs };
  }
  const turn = createTurn(deps, start.turn);
  if (start.isTakenOver) {
    if (isChecked) await turn.fence();
    await awaitVisible(deps, turn);
  }
  const results: R[] = [];
  const isWanted = await looks(deps, start.turn, () => look(turn), results);
  return { outcome: 'done', results, isWanted };
};

/**
 * When (ms) to look again after a turn whose looks say so themselves; `undefined`: when a change comes. Whoever holds the turn looks once
 * more before it ends.
 */
export const nextAfterTurn = (turn: TurnOutcome<EpochMs | undefined>, now: EpochMs): EpochMs | undefined => {
  if (turn.outcome === 'held') return turn.isFirst ? now + turn.afterMs : undefined;
  return turn.isWanted ? now : turn.results.at(-1);
};
