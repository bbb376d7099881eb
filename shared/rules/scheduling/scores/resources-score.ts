/** Scores by the room that stays on a node. Source: kubernetes v1.34 scheduler plugin `noderesources`. */
import type { NodeInfo } from '../cluster/cluster.ts';
import type { ScorePlugin } from '../cluster/framework.ts';
import { MAX_NODE_SCORE } from '../cluster/framework.ts';
import { podRequests, scoreRequests } from '../pods/pod-requests.ts';
import type { Resources } from '../pods/resources.ts';

/** The resources that are scored, with equal weights. */
const SCORED = ['cpu', 'memory'] as const;

/** How much of a resource a node has, and how much would be asked of it. */
interface Load {
  readonly has: number;
  readonly asked: number;
}

const loadOf = ({ allocatable }: NodeInfo, name: string, taken: Resources, wanted: Resources): Load => ({
  has: allocatable.get(name) ?? 0,
  asked: (taken.get(name) ?? 0) + (wanted.get(name) ?? 0),
});

const freeShare = ({ has, asked }: Load): number =>
  asked > has ? 0 : Math.floor(((has - asked) * MAX_NODE_SCORE) / has);

/** A resource that the node does not have does not count. */
const leastAllocated = (info: NodeInfo, wanted: Resources): number => {
  let sum = 0;
  let scored = 0;
  for (const name of SCORED) {
    const load = loadOf(info, name, info.scoreRequested, wanted);
    if (load.has <= 0) continue;
    sum += freeShare(load);
    scored += 1;
  }
  return scored === 0 ? 0 : Math.floor(sum / scored);
};

/** Prefers nodes on which the most stays free: `leastAllocated`. */
export const nodeResourcesFitScore: ScorePlugin = {
  name: 'NodeResourcesFit',
  weight: 1,
  countsPods: true,
  score: (pod, nodes) => {
    const wanted = scoreRequests(pod);
    return nodes.map((info) => leastAllocated(info, wanted));
  },
};

const usedShare = ({ has, asked }: Load): number => Math.min(1, asked / has);

/** With two resources, the standard deviation is half of what they differ by. With one there is nothing to balance. */
const balance = (info: NodeInfo, wanted: Resources): number => {
  const cpu = loadOf(info, 'cpu', info.requested, wanted);
  const memory = loadOf(info, 'memory', info.requested, wanted);
  const deviation = cpu.has > 0 && memory.has > 0 ? Math.abs((usedShare(cpu) - usedShare(memory)) / 2) : 0;
  return Math.floor((1 - deviation) * MAX_NODE_SCORE);
};

/** Prefers nodes on which cpu and memory would be used to the same degree. A pod that asks for neither has no say. */
export const balancedAllocationScore: ScorePlugin = {
  name: 'NodeResourcesBalancedAllocation',
  weight: 1,
  countsPods: true,
  score: (pod, nodes) => {
    const wanted = podRequests(pod);
    if (SCORED.every((name) => !wanted.get(name))) return undefined;
    return nodes.map((info) => balance(info, wanted));
  },
};
