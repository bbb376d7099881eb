/** Room on a node. Source: kubernetes v1.34 scheduler plugin `noderesources` `fitsRequest`. */
import type { NodeInfo } from '../cluster/cluster.ts';
import type { FilterPlugin, Refusal } from '../cluster/framework.ts';
import { podRequests } from '../pods/pod-requests.ts';

const amountOf = (amounts: NodeInfo['requested'], name: string): number => amounts.get(name) ?? 0;

const lacks = ({ allocatable, requested }: NodeInfo, name: string, wanted: number): boolean =>
  wanted > amountOf(allocatable, name) - amountOf(requested, name);

/** Names all shortages of the node. A request above what the whole node has cannot be helped by other pods that leave. */
const refusalOf = (info: NodeInfo, wanted: readonly (readonly [string, number])[]): Refusal | undefined => {
  const isFull = info.pods.length + 1 > amountOf(info.allocatable, 'pods');
  const short = wanted.filter(([name, amount]) => lacks(info, name, amount));
  if (!isFull && short.length === 0) return undefined;
  return {
    reasons: [...(isFull ? ['Too many pods'] : []), ...short.map(([name]) => `Insufficient ${name}`)],
    isResolvable: short.every(([name, amount]) => amount <= amountOf(info.allocatable, name)),
  };
};

/** Keeps pods off nodes that lack room for their requests, or for one more pod. */
export const nodeResourcesFitFilter: FilterPlugin = {
  name: 'NodeResourcesFit',
  preFilter: (pod) => {
    const wanted = [...podRequests(pod)].filter(([, amount]) => amount > 0);
    return { filter: (info) => refusalOf(info, wanted) };
  },
};
