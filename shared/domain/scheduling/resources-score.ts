/** Scores by the room that stays on a node. Source: kubernetes v1.34 scheduler plugin `noderesources`. */
import type { NodeInfo } from './cluster.ts';
import type { ScorePlugin } from './framework.ts';
import { MAX_NODE_SCORE } from './framework.ts';
import { podRequests, scoreRequests } from './pod-requests.ts';
import type { Resources } from './resources.ts';

/** The resources that are scored, with equal weights. */
const SCORED = ['cpu', 'memory'] as const;

/** What a node has and what would be asked of it, for the scored resources that it has. */
const loadsOf = ({ allocatable }: NodeInfo, taken: Resources, wanted: Resources) =>
  SCORED.map((name) => ({
    has: allocatable.get(name) ?? 0,
    asked: (taken.get(name) ?? 0) + (wanted.get(name) ?? 0),
  })).filter(({ has }) => has > 0);

const freeShare = ({ has, asked }: { readonly has: number; readonly asked: number }): number =>
  asked > has ? 0 : Math.floor(((has - asked) * MAX_NODE_SCORE) / has);

const leastAllocated = (info: NodeInfo, wanted: Resources): number => {
  const shares = loadsOf(info, info.scoreRequested, wanted).map(freeShare);
  return shares.length === 0 ? 0 : Math.floor(shares.reduce((sum, one) => sum + one, 0) / shares.length);
};

/** Prefers nodes on which the most stays free: `leastAllocated`. */
export const nodeResourcesFitScore: ScorePlugin = {
  name: 'NodeResourcesFit',
  weight: 1,
  score: (pod, nodes) => {
    const wanted = scoreRequests(pod);
    return nodes.map((info) => leastAllocated(info, wanted));
  },
};

/** With two resources, the standard deviation is half of what they differ by. With one there is nothing to balance. */
const balance = (info: NodeInfo, wanted: Resources): number => {
  const [first, second] = loadsOf(info, info.requested, wanted).map(({ has, asked }) =>
    Math.min(1, asked / has),
  );
  const deviation = first === undefined || second === undefined ? 0 : Math.abs((first - second) / 2);
  return Math.floor((1 - deviation) * MAX_NODE_SCORE);
};

/** Prefers nodes on which cpu and memory would be used to the same degree. A pod that asks for neither has no say. */
export const balancedAllocationScore: ScorePlugin = {
  name: 'NodeResourcesBalancedAllocation',
  weight: 1,
  score: (pod, nodes) => {
    const wanted = podRequests(pod);
    if (SCORED.every((name) => !wanted.get(name))) return undefined;
    return nodes.map((info) => balance(info, wanted));
  },
};
