/** What a sweep does with some nodes. */

import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import type { Counters } from '../../shared/rules/scheduling/node-counters.ts';
import { seeClaims } from '../../shared/store/claims/claims-of-node.ts';
import { reconcileClaims } from '../../shared/store/claims/reconcile-claims.ts';
import { type ReleaseDeps, releaseStaleClaims } from '../../shared/store/claims/release-claims.ts';
import { type RepairCountersDeps, repairCounters } from '../../shared/store/claims/repair-counters.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';

const NODES_AT_ONCE = 8;

export interface PartDeps extends ReleaseDeps, RepairCountersDeps {
  readonly objects: Pick<ObjectStore, 'read' | 'podsByNode' | 'lag'>;
}

/** What was repaired of one node. */
export interface NodeRepair {
  readonly node: string;
  readonly digest: boolean;
  /** Claims that were made or changed. */
  readonly claims: number;
  /** What was added to its counters, by name. */
  readonly added: Counters;
}

/** What became of some nodes. */
export interface PartReport {
  readonly nodes: number;
  /** Claims that were released, because the message was lost or is on its way. */
  readonly released: number;
  /** Repairs that were refused or whose answer was lost. */
  readonly left: number;
  /** Only nodes of which something was repaired. */
  readonly repaired: readonly NodeRepair[];
  readonly failed: readonly { readonly node: string; readonly error: unknown }[];
}

interface NodeSwept extends Omit<NodeRepair, 'added'> {
  readonly released: number;
  readonly left: number;
}

const sweepNode = async (deps: PartDeps, node: string): Promise<NodeSwept> => {
  const seen = await seeClaims(deps, node);
  const released = await releaseStaleClaims(deps, node, seen);
  return { node, released, ...(await reconcileClaims(deps, node, seen)) };
};

type Tried = NodeSwept | { readonly node: string; readonly error: unknown };

const tryNode = (deps: PartDeps, node: string): Promise<Tried> =>
  sweepNode(deps, node).catch((error: unknown) => ({ node, error }));

const NOTHING_ADDED: Counters = new Map();

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/**
 * Releases the claims of pods that have ended or are gone, gives bound pods and Nodes the claims and digests that they should have, and
 * compares counters with claims. A node that fails does not keep the others from it.
 */
export const sweepPart = async (deps: PartDeps, nodes: readonly string[]): Promise<PartReport> => {
  const tried = await inParallel(nodes, NODES_AT_ONCE, (node) => tryNode(deps, node));
  const done = tried.filter((one): one is NodeSwept => !('error' in one));
  const counted = await repairCounters(
    deps,
    done.map(({ node }) => node),
  );
  const added = new Map(counted.map((one) => [one.node, one]));
  const repairs = done.map(
    ({ node, digest, claims }): NodeRepair => ({
      node,
      digest,
      claims,
      added:
        added.get(node)?.outcome === 'repaired' ? (added.get(node)?.added ?? NOTHING_ADDED) : NOTHING_ADDED,
    }),
  );
  return {
    nodes: nodes.length,
    released: sum(done.map(({ released }) => released)),
    left: sum(done.map(({ left }) => left)) + counted.filter(({ outcome }) => outcome === 'unknown').length,
    repaired: repairs.filter((one) => one.digest || one.claims > 0 || one.added.size > 0),
    failed: tried.flatMap((one) => ('error' in one ? [one] : [])),
  };
};
