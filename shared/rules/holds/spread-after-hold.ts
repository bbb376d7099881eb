/** Whom a hold that has ended lets begin when, if nothing else says so. */
import { fnv1a } from '../../kube/text/fnv1a.ts';
import type { HoldClass } from '../../kube/types/hold.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { concerns, type HoldTarget } from './held-by.ts';
import type { HoldBook } from './hold-book.ts';

/** The longest time (ms) that the begin is spread over. */
const LONGEST_SPREAD_MS = 30 * 60_000;

/** How long (ms) it takes at this rate (nodes per second) until so many nodes have begun. */
export const spreadFor = (nodes: number, rate: number): number =>
  nodes === 0 ? 0 : Math.min(LONGEST_SPREAD_MS, Math.ceil((nodes / rate) * 1000));

/** From 0 (inclusive) to 1 (exclusive), always the same for this node and hold. */
const shareOf = (node: string, hold: string): number => fnv1a(`${node}/${hold}`) / 2 ** 32;

/**
 * When a node (its uid) may begin with what began to wait at `since` (ms) and has no timer: at once, unless a hold that covered it has ended
 * after that. What begins after the end of the hold did not wait for it.
 */
export const startAfterHolds = (
  { past }: HoldBook,
  stops: HoldClass,
  target: HoldTarget,
  node: string,
  since: EpochMs,
): EpochMs =>
  past
    .filter((hold) => since < hold.to && concerns(hold, stops, target))
    .reduce((latest, { uid, to, spreadMs }) => Math.max(latest, to + shareOf(node, uid) * spreadMs), since);

/** When (ms) the next NoExecute taint may follow a hold that covered the node: one interval of its zone's limiter after the end (V-112). */
export const taintAfterHolds = ({ past }: HoldBook, target: HoldTarget, intervalMs: number): EpochMs =>
  past
    .filter((hold) => concerns(hold, 'NoExecute', target))
    .reduce((latest, { to }) => Math.max(latest, to + intervalMs), Number.NEGATIVE_INFINITY);
