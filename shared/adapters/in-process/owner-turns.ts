/** Turns of owners over synchronous tables. */
import type { EpochMs } from '../../kube/values/time.ts';
import type {
  BegunTurn,
  OwnerTurnStore,
  TurnCheck,
  TurnEnd,
  TurnStart,
} from '../../ports/store/owner-turns.ts';
import { nextTurn, TURN_RETENTION_MS } from '../../ports/store/owner-turns.ts';
import { CLOCK_SKEW_MS } from '../../rules/zones/future-instants.ts';

/** The stored turn of one owner. */
export interface StoredTurn {
  readonly number: number;
  /** The number that commits check; 0 for none. */
  readonly raised: number;
  /** The run that has the turn; absent: nobody. */
  readonly run?: string;
  readonly leaseUntil: EpochMs;
  readonly wanted?: true;
}

/** The table of turns, by the owner's uid. */
export interface TurnTable {
  get(owner: string): StoredTurn | undefined;
  set(owner: string, turn: StoredTurn, expiresAt: EpochMs): void;
}

/** Whether the condition of a commit is met; true without one. */
export const turnHolds = (turns: Pick<TurnTable, 'get'>, check: TurnCheck | undefined): boolean =>
  !check || turns.get(check.owner)?.raised === check.number;

const isHeld = ({ run, leaseUntil }: StoredTurn, now: EpochMs, leaseMs: number): boolean =>
  run !== undefined && leaseUntil > now && leaseUntil <= now + leaseMs + CLOCK_SKEW_MS;

/** What the store needs. */
export interface OwnerTurnDeps {
  readonly turns: TurnTable;
  /** Carries out all of `work`'s writes or none; they are durable when it returns. */
  together<T>(work: () => T): T;
}

const begin = (
  { turns }: OwnerTurnDeps,
  owner: string,
  run: string,
  now: EpochMs,
  leaseMs: number,
): TurnStart => {
  const stored = turns.get(owner);
  if (stored && stored.run !== run && isHeld(stored, now, leaseMs)) {
    turns.set(owner, { ...stored, wanted: true }, now + TURN_RETENTION_MS);
    return { outcome: 'held', until: stored.leaseUntil, wasMarked: stored.wanted === true };
  }
  const number = nextTurn(stored?.number, now);
  const next = { number, raised: stored?.raised ?? 0, run, leaseUntil: now + leaseMs };
  turns.set(owner, next, now + TURN_RETENTION_MS);
  return { outcome: 'begun', turn: { owner, run, number }, isTakenOver: stored?.run !== undefined };
};

/** The stored turn if the run still has it. */
const own = ({ turns }: OwnerTurnDeps, { owner, run, number }: BegunTurn): StoredTurn | undefined => {
  const stored = turns.get(owner);
  return stored?.run === run && stored.number === number ? stored : undefined;
};

const raise = ({ turns }: OwnerTurnDeps, { owner, number }: BegunTurn, now: EpochMs): boolean => {
  const stored = turns.get(owner);
  if (!stored || stored.raised > number) return false;
  turns.set(owner, { ...stored, raised: number }, now + TURN_RETENTION_MS);
  return true;
};

const end = (deps: OwnerTurnDeps, turn: BegunTurn): TurnEnd => {
  const stored = own(deps, turn);
  if (!stored) return 'lost';
  const { wanted, run: _run, ...free } = stored;
  const next = wanted ? { ...free, run: turn.run } : { ...free, leaseUntil: 0 };
  deps.turns.set(turn.owner, next, stored.leaseUntil + TURN_RETENTION_MS);
  return wanted ? 'wanted' : 'ended';
};

/** Turns over synchronous tables. */
export const createOwnerTurnStore = (deps: OwnerTurnDeps): OwnerTurnStore => ({
  begin: async (owner, run, now, leaseMs) => deps.together(() => begin(deps, owner, run, now, leaseMs)),
  raise: async (turn, now) => deps.together(() => raise(deps, turn, now)),
  renew: async (turn, now, leaseMs) => {
    const stored = own(deps, turn);
    if (stored) deps.turns.set(turn.owner, { ...stored, leaseUntil: now + leaseMs }, now + TURN_RETENTION_MS);
    return stored !== undefined;
  },
  end: async (turn) => deps.together(() => end(deps, turn)),
});
