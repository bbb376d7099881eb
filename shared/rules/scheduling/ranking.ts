/** Pods that are alike share the scores of one attempt. Source: kubernetes KEP-5598, with its rescoring of the last node. */
import type { Pod } from '../../kube/types/core.ts';
import { type Attempt, bestOf, type NodeScore, type Placement, scoreNodes } from './decide-placement.ts';
import { nominatedNodeOf, prepare } from './feasible-nodes.ts';
import { AFFINITY, DEFAULT_PROFILE, SPREAD } from './plugins.ts';

/** The scores of the nodes that an attempt has found, for further pods that are alike. */
export interface Ranking {
  readonly scores: readonly NodeScore[];
  /** The node that the last of these pods got: only its score is old. */
  readonly taken: string;
  /** How many pods may still use the ranking. After them an attempt looks at further nodes. */
  readonly left: number;
}

/** A pod that was placed by a ranking, and the ranking for the next one. */
export interface Ranked {
  readonly placement: Placement;
  readonly ranking: Ranking;
}

interface AsksAboutOthers {
  readonly affinity?: { readonly podAffinity?: unknown; readonly podAntiAffinity?: unknown };
  readonly topologySpreadConstraints?: readonly unknown[];
  readonly volumes?: readonly { readonly persistentVolumeClaim?: unknown; readonly ephemeral?: unknown }[];
}

/** Whether one more pod like this changes nothing for it on other nodes than its own. */
const standsAlone = (pod: Pod): boolean => {
  const { affinity, topologySpreadConstraints = [], volumes = [] } = pod.spec as AsksAboutOthers;
  const hasClaims = volumes.some(
    ({ persistentVolumeClaim, ephemeral }) => persistentVolumeClaim ?? ephemeral,
  );
  const hasTerms = affinity?.podAffinity ?? affinity?.podAntiAffinity;
  return !hasTerms && topologySpreadConstraints.length === 0 && !hasClaims && nominatedNodeOf(pod) === '';
};

const comparesPods = ({ byPlugin }: NodeScore): boolean => SPREAD in byPlugin || AFFINITY in byPlugin;

/** The ranking after an attempt; `undefined` if the place of one pod says something about other nodes, too, as a Service that spreads its pods does. */
export const rankingAfter = (pod: Pod, { scores, nodeName }: Placement): Ranking | undefined => {
  const [first] = scores;
  if (!first || comparesPods(first) || !standsAlone(pod)) return undefined;
  return { scores, taken: nodeName, left: scores.length - 1 };
};

/** What changes with the pods of a node is counted anew, the rest stays. */
const rescored = (pod: Pod, before: NodeScore, attempt: Attempt): NodeScore | undefined => {
  const { cluster, profile = DEFAULT_PROFILE } = attempt;
  const readiness = prepare(pod, cluster, profile.filters);
  const info = cluster.byName.get(before.nodeName);
  if ('fault' in readiness || !info || readiness.judge(info)) return undefined;
  const [now] = scoreNodes(
    pod,
    [info],
    cluster,
    profile.scores.filter(({ countsPods }) => countsPods),
  );
  const byPlugin = { ...before.byPlugin, ...now?.byPlugin };
  const total = Object.values(byPlugin).reduce((sum, score) => sum + score, 0);
  return { ...before, byPlugin, total };
};

/**
 * Places a pod that is like the one before it, by a cluster that differs by that one pod on `taken` and by nothing else. `undefined`: an
 * attempt has to look at the nodes, because the ranking is used up, somebody has a nomination, or the node is full.
 */
export const placeByRanking = (pod: Pod, ranking: Ranking, attempt: Attempt): Ranked | undefined => {
  const { nominations = [], chance } = attempt;
  const index = ranking.scores.findIndex(({ nodeName }) => nodeName === ranking.taken);
  const before = ranking.scores[index];
  if (ranking.left <= 0 || nominations.length > 0 || !before) return undefined;
  const after = rescored(pod, before, attempt);
  if (!after) return undefined;
  const scores = ranking.scores.with(index, after);
  const nodeName = bestOf(scores, chance);
  const feasible = scores.map((score) => score.nodeName);
  return {
    placement: { nodeName, feasible, scores, judged: 0 },
    ranking: { scores, taken: nodeName, left: ranking.left - 1 },
  };
};
