/** Which NoExecute taints of a node evict its pods while it shuts down. */

import { TAINT_NOT_READY, TAINT_UNREACHABLE } from '../../kube/types/well-known.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { NoExecuteFacts } from '../nodes/taints.ts';
import { type ShutdownFacts, shutdownAt } from './shutdown-facts.ts';

/** The facts of a node that decide about evictions. */
interface Facts extends NoExecuteFacts {
  readonly shutdown?: ShutdownFacts;
}

/** The taints without those that follow from the node's silence, or from its own word that it is not ready. */
export const withoutSilence = <T extends { readonly key: string }>(taints: readonly T[]): readonly T[] =>
  taints.filter(({ key }) => key !== TAINT_NOT_READY && key !== TAINT_UNREACHABLE);

/**
 * The taints that evict pods at `now` (ms). Until its deadline a node that shuts down ends its pods itself, so that it is not ready, or silent, evicts none. A
 * taint that somebody else has put on it does.
 */
export const taintsThatEvict = <T extends Facts>(facts: T, now: EpochMs): T =>
  shutdownAt(facts, now) ? { ...facts, noExecute: withoutSilence(facts.noExecute) } : facts;
