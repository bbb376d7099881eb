import type { EpochMs } from '../../kube/values/time.ts';

/** A node that waits for its NoExecute taint, and since when (ms, our clock) it has been unready. */
export interface WaitingNode {
  readonly name: string;
  readonly since: EpochMs;
}

const SHORTEST_LIST = 20;

/** Twice what the rate (nodes per second) can use up before the next pass, at least 20. */
const listLength = (rate: number, periodMs: number): number =>
  Math.max(SHORTEST_LIST, Math.ceil((2 * rate * periodMs) / 1000));

/** Whether `a` gets its taint before `b`: it has waited longer, or as long and its name comes first. */
export const isBefore = (a: WaitingNode, b: WaitingNode): boolean =>
  a.since === b.since ? a.name < b.name : a.since < b.since;

const placeOf = (node: WaitingNode, sorted: readonly WaitingNode[]): number => {
  const later = sorted.findIndex((other) => isBefore(node, other));
  return later < 0 ? sorted.length : later;
};

/**
 * Names of the nodes of one zone that have waited longest, longest first (equal ones by name), as many as a pass needs.
 * Only the head is sorted, because thousands of nodes may wait for hours and each pass reads all of them.
 * Kubernetes puts every waiting node back into its queue at each pass, so that its order is not first come first.
 */
export const longestWaiting = (
  waiting: readonly WaitingNode[],
  rate: number,
  periodMs: number,
): readonly string[] => {
  const most = listLength(rate, periodMs);
  const first: WaitingNode[] = [];
  for (const node of waiting) {
    const last = first.at(-1);
    if (first.length === most && last && !isBefore(node, last)) continue;
    first.splice(placeOf(node, first), 0, node);
    if (first.length > most) first.pop();
  }
  return first.map(({ name }) => name);
};
