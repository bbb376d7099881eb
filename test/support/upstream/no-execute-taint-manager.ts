import type { Taint, Toleration } from '../../../shared/kube/types/core.ts';
import { firstTolerating } from '../../../shared/rules/pods/tolerations.ts';

/** One change of the pod or of its node's taints, `at` seconds after the start. */
export interface Happening {
  readonly at: number;
  readonly taints?: readonly Taint[];
  readonly tolerations?: readonly Toleration[];
  /** The pod is bound to the node. */
  readonly binds?: true;
}

interface Timer {
  readonly createdAt: number;
  readonly fireAt: number;
}

interface World {
  taints: readonly Taint[];
  tolerations: readonly Toleration[];
  isBound: boolean;
}

type Wish = 'cancel' | 'evict' | { readonly seconds: number };

/** What the taints and tolerations of a moment ask for. Source: kubernetes v1.34 tainteviction `processPodOnNode`. */
const wishOf = ({ taints, tolerations, isBound }: World): Wish => {
  if (!isBound || taints.length === 0) return 'cancel';
  const used = taints.map((taint) => firstTolerating(tolerations, taint));
  if (used.includes(undefined)) return 'evict';
  const finite = used.flatMap((toleration) => toleration?.tolerationSeconds ?? []);
  return finite.length === 0 ? 'cancel' : { seconds: Math.max(0, Math.min(...finite)) };
};

const worldsBySecond = (happenings: readonly Happening[], end: number): readonly World[] => {
  const world: World = { taints: [], tolerations: [], isBound: false };
  const left = [...happenings];
  return Array.from({ length: end + 1 }, (_, second) => {
    for (let next = left[0]; next !== undefined && next.at <= second; next = left[0]) {
      const { at: _at, binds, ...changes } = next;
      Object.assign(world, changes, binds ? { isBound: true } : {});
      left.shift();
    }
    return { ...world };
  });
};

/**
 * Whether the pod may go at this second by a timer that somebody could have started: some taint is not tolerated, or
 * since a second before there was always one that is tolerated for a time, and the time of that second has run.
 */
export const hasTimerRun = (happenings: readonly Happening[], evictedAt: number): boolean => {
  const wishes = worldsBySecond(happenings, evictedAt).map(wishOf);
  for (let second = evictedAt; second >= 0; second -= 1) {
    const wish = wishes[second];
    if (wish === undefined || wish === 'cancel') return false;
    if (wish === 'evict' || evictedAt - second >= wish.seconds) return true;
  }
  return false;
};

/** A timer that runs is kept unless its own start plus the new seconds does not lie before now plus the same: never. */
const isKept = (timer: Timer, seconds: number, now: number): boolean =>
  timer.createdAt + seconds < now + seconds;

const nextTimer = (timer: Timer | undefined, wish: Wish, now: number): Timer | undefined => {
  if (wish === 'cancel') return undefined;
  if (wish === 'evict') return { createdAt: now, fireAt: now };
  return timer && isKept(timer, wish.seconds, now) ? timer : { createdAt: now, fireAt: now + wish.seconds };
};

/**
 * When Kubernetes' taint-eviction controller deletes the pod, in seconds, `undefined`: not before `end`. The model of a
 * controller that never restarts and sees each change at once, with its timers in memory.
 */
export const evictedByKubernetes = (happenings: readonly Happening[], end: number): number | undefined => {
  const world: World = { taints: [], tolerations: [], isBound: false };
  let timer: Timer | undefined;
  for (const { at, binds, ...changes } of happenings) {
    if (timer && timer.fireAt <= at) return timer.fireAt;
    Object.assign(world, changes, binds ? { isBound: true } : {});
    timer = nextTimer(timer, wishOf(world), at);
    if (timer && timer.fireAt <= at) return timer.fireAt;
  }
  return timer && timer.fireAt <= end ? timer.fireAt : undefined;
};
