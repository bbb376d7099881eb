import type { EpochMs } from '../api/time.ts';

/** A node that waits for its NoExecute taint, and since when (ms, our clock) it has been unready. */
export interface WaitingNode {
  readonly name: string;
  readonly since: EpochMs;
}

const SHORTEST_LIST = 20;

/** Twice what the rate (nodes per second) can use up before the next pass, at least 20. */
const listLength = (rate: number, periodMs: number): number =>
  Math.max(SHORTEST_LIST, Math.ceil((2 * rate * periodMs) / 1000));

/**
 * Names of the nodes of one zone that wait longest, first come first (equal ones by name), as many as a pass needs.
 * Kubernetes puts every waiting node back into its queue at each pass, so that its order is not first come first.
 */
export const longestWaiting = (
  waiting: readonly WaitingNode[],
  rate: number,
  periodMs: number,
): readonly string[] =>
  waiting
    .toSorted((a, b) => a.since - b.since || (a.name < b.name ? -1 : 1))
    .slice(0, listLength(rate, periodMs))
    .map(({ name }) => name);
