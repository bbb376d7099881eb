/** The order in which waiting pods are tried. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { isResting } from '../../../shared/rules/scheduling/backoff.ts';
import { priorityOf } from '../../../shared/rules/scheduling/pods/pod-importance.ts';
import type { WaitingPod } from './waiting-pod.ts';

/** A pod's place in the order. A pod that leaves and enters again gets another one. */
interface Place {
  readonly waiting: WaitingPod;
}

/** The higher priority comes first, among equals the older pod, among those the one that entered first. Source: kubernetes v1.34 plugin `queuesort`. */
const byTurn = ({ waiting: a }: Place, { waiting: b }: Place): number =>
  priorityOf(b.pod) - priorityOf(a.pod) || a.createdAt - b.createdAt;

/** Joins two sorted lists. Among equals those of `a` come first. */
const joined = (a: readonly Place[], b: readonly Place[]): Place[] => {
  const all: Place[] = [];
  let taken = 0;
  for (const place of a) {
    for (let next = b[taken]; next && byTurn(next, place) < 0; next = b[taken]) {
      all.push(next);
      taken += 1;
    }
    all.push(place);
  }
  return [...all, ...b.slice(taken)];
};

/** Pods sorted by their turns. Entering and leaving cost nothing; new pods are sorted when the first ones are asked for. */
const createSorted = () => {
  const places = new Map<WaitingPod, Place>();
  let sorted: readonly Place[] = [];
  let start = 0;
  let fresh: Place[] = [];

  const isTaken = (place: Place): boolean => places.get(place.waiting) === place;
  const sort = (): void => {
    const rest = sorted.slice(start).filter(isTaken);
    sorted = joined(rest, fresh.filter(isTaken).toSorted(byTurn));
    [start, fresh] = [0, []];
  };
  return {
    enter: (waiting: WaitingPod): void => {
      const place = { waiting };
      places.set(waiting, place);
      fresh.push(place);
    },
    leave: (waiting: WaitingPod): void => void places.delete(waiting),
    first: (limit: number): readonly WaitingPod[] => {
      if (fresh.length > 0) sort();
      const found: WaitingPod[] = [];
      for (let index = start; index < sorted.length && found.length < limit; index += 1) {
        const place = sorted[index];
        if (place && isTaken(place)) found.push(place.waiting);
        else if (found.length === 0) start = index + 1;
      }
      return found;
    },
    size: (): number => places.size,
  };
};

/** The pods that are tried, at the latest when their rest is over. */
export interface TurnOrder {
  enter(waiting: WaitingPod): void;
  leave(waiting: WaitingPod): void;
  /** The first pods that do not rest at `now`, at most `limit`. They stay. */
  first(now: EpochMs, limit: number): readonly WaitingPod[];
  /** Number of pods that do not rest. */
  due(now: EpochMs): number;
  /** When (ms) the first rest ends; `undefined`: no pod rests. */
  nextAt(now: EpochMs): EpochMs | undefined;
}

/** Creates an order without pods. */
export const createTurnOrder = (): TurnOrder => {
  const sorted = createSorted();
  const resting = new Set<WaitingPod>();
  const endRests = (now: EpochMs): void => {
    for (const waiting of resting) {
      if (isResting(waiting.restsUntil, now)) continue;
      resting.delete(waiting);
      sorted.enter(waiting);
    }
  };
  return {
    enter: (waiting) => void resting.add(waiting),
    leave: (waiting) => {
      resting.delete(waiting);
      sorted.leave(waiting);
    },
    first: (now, limit) => {
      endRests(now);
      return sorted.first(limit);
    },
    due: (now) => {
      endRests(now);
      return sorted.size();
    },
    nextAt: (now) => {
      endRests(now);
      if (resting.size === 0) return undefined;
      return [...resting].reduce((first, pod) => Math.min(first, pod.restsUntil), Number.POSITIVE_INFINITY);
    },
  };
};
