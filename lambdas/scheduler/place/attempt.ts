/** One attempt to place a pod, by what the process knows. Nothing is written here. */
import type { Pod } from '../../../shared/kube/types/core.ts';
import type { IdSource } from '../../../shared/ports/process/id-source.ts';
import type { Attempt, Misfit, Placement } from '../../../shared/rules/scheduling/decide-placement.ts';
import { decidePlacement } from '../../../shared/rules/scheduling/decide-placement.ts';
import { misfitMessage } from '../../../shared/rules/scheduling/misfit-message.ts';
import { preempt } from '../../../shared/rules/scheduling/preemption/preempt.ts';
import { placeByRanking, type Ranking, rankingAfter } from '../../../shared/rules/scheduling/ranking.ts';
import { signatureOf } from '../picture/refused-groups.ts';
import type { SchedulerState } from '../scheduler-state.ts';

/** No node takes the pod. */
export interface Refused {
  readonly result: 'refused';
  /** The plugins that refused it. */
  readonly plugins: ReadonlySet<string>;
  /** For condition and Event. */
  readonly message: string;
  /** The node to nominate; empty to clear a nomination, absent to leave it. */
  readonly nominatedNodeName?: string;
  /** The pods that have to leave that node. */
  readonly victims: readonly Pod[];
}

/** The pod goes to a node. */
export interface Placed extends Placement {
  readonly result: 'placed';
}

/** Tries pods against what is known. */
export interface Attempts {
  /** Throws what a rule throws: then only this pod cannot be placed. */
  try(pod: Pod): Placed | Refused;
}

const preempted = (
  state: SchedulerState,
  pod: Pod,
  misfit: Misfit,
  attempt: Attempt,
  chance: number,
): Refused => {
  const decision = preempt(pod, misfit, attempt, state.picture.budgets(), chance);
  const { plugins } = misfit;
  if (decision && 'victims' in decision) {
    const { nominatedNodeName, victims } = decision;
    return { result: 'refused', plugins, message: misfitMessage(misfit), nominatedNodeName, victims };
  }
  const message = misfitMessage(misfit, decision?.message);
  const clears = decision?.clearsNomination === true ? { nominatedNodeName: '' } : {};
  return { result: 'refused', plugins, message, victims: [], ...clears };
};

/**
 * Tries pods, each by the cluster as it is then. Pods that are alike share one refusal for as long as nothing changes, so that a
 * thousand replicas without room cost one attempt; and the scores of nodes, for as long as nothing but they themselves changes them.
 */
export const createAttempts = (state: SchedulerState, ids: Pick<IdSource, 'random'>): Attempts => {
  const { picture, waiting } = state;
  let refusals = new Map<string, Refused>();
  let version = -1;

  const known = (): Map<string, Refused> => {
    if (version !== picture.version()) refusals = new Map();
    version = picture.version();
    return refusals;
  };
  const attemptNow = (): Attempt => ({
    cluster: picture.cluster(),
    nominations: waiting.nominations(),
    chance: ids.random(),
    startAt: state.startAt,
  });
  /** Nothing but the pod before has come since: then its scores hold. */
  const isFresh = (signature: string): boolean =>
    state.shared?.signature === signature &&
    picture.version() === state.shared.version + 1 &&
    picture.assumedLast() === state.shared.ranking.taken;
  const share = (signature: string, ranking: Ranking | undefined): void => {
    state.shared = ranking ? { signature, version: picture.version(), ranking } : undefined;
  };
  const decideAlike = (pod: Pod, signature: string): Placed | undefined => {
    const ranked =
      state.shared && isFresh(signature)
        ? placeByRanking(pod, state.shared.ranking, attemptNow())
        : undefined;
    share(signature, ranked?.ranking);
    return ranked ? { result: 'placed', ...ranked.placement } : undefined;
  };
  const decide = (pod: Pod, signature: string): Placed | Refused => {
    const attempt = attemptNow();
    const { cluster } = attempt;
    const { startAt } = state;
    const found = decidePlacement(pod, attempt);
    if (!('nodeName' in found)) return preempted(state, pod, found, attempt, ids.random());
    state.startAt = (startAt + found.judged) % Math.max(1, cluster.nodes.length);
    share(signature, rankingAfter(pod, found));
    return { result: 'placed', ...found };
  };
  return {
    try: (pod) => {
      const signature = signatureOf(pod);
      const before = known().get(signature);
      if (before) return before;
      const decided = decideAlike(pod, signature) ?? decide(pod, signature);
      // Victims are for one pod only.
      if (decided.result === 'refused' && decided.victims.length === 0) known().set(signature, decided);
      return decided;
    },
  };
};
