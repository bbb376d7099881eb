/** Gives Nodes and bound pods the digest and the claims that they should have: after an upgrade, or after a loss. */
import type { Pod } from '../../kube/types/core.ts';
import type { CapacityWrite, ClaimWrite } from '../../ports/store/capacity.ts';
import { MOST_CLAIMS } from '../../ports/store/capacity.ts';
import type { LiveRow, RowCheck } from '../../ports/store/rows.ts';
import { liveRow, nodeKey } from '../../ports/store/rows.ts';
import { repairedClaim } from '../../rules/scheduling/cluster/capacity-claim.ts';
import { capacityDigest } from '../../rules/scheduling/node-counters.ts';
import { inParallel } from '../turns/in-parallel.ts';
import type { SeenClaims } from './claims-of-node.ts';
import type { ReleaseDeps } from './release-claims.ts';

const READS_AT_ONCE = 16;

/** What was repaired. On a healthy system: nothing. */
export interface ClaimRepairs {
  readonly digest: boolean;
  /** Claims that were made or changed. */
  readonly claims: number;
  /** Repairs that were refused or whose answer was lost. The next reconciliation tries them again. */
  readonly left: number;
}

interface Repair {
  readonly write: ClaimWrite;
  readonly check: RowCheck;
}

/** Bound pods whose claim seems to be missing or wrong, as they are now. */
const suspects = async (
  { objects, clock }: ReleaseDeps,
  node: string,
  { claims, pods }: SeenClaims,
): Promise<readonly LiveRow[]> => {
  const seen = new Map(claims.map((claim) => [claim.uid, claim]));
  const doubtful = pods.filter(({ uid, object }) => {
    const claim = seen.get(uid);
    return repairedClaim(claim, object as Pod, clock.now()) !== claim;
  });
  const rows = await inParallel(doubtful, READS_AT_ONCE, ({ key }) => objects.read(key));
  return rows.flatMap((row) => {
    const found = liveRow(row);
    return found && (found.object as Pod).spec.nodeName === node ? [found] : [];
  });
};

const repairsOf = async (deps: ReleaseDeps, node: string, seen: SeenClaims): Promise<readonly Repair[]> => {
  // Pods first: whoever sees a bound pod and reads its claim afterwards finds it, unless there is none.
  const rows = await suspects(deps, node, seen);
  const uids = rows.map(({ uid }) => uid);
  const claims = new Map((await deps.capacity.claimsOf(node, uids)).map((claim) => [claim.uid, claim]));
  return rows.flatMap(({ key, uid, revision, object }) => {
    const read = claims.get(uid);
    const next = repairedClaim(read, object as Pod, deps.clock.now());
    return next === read ? [] : [{ write: { uid, read, next }, check: { key, revision } }];
  });
};

const writeOf = (node: string, repairs: readonly Repair[]): CapacityWrite => ({
  node,
  claims: repairs.map(({ write }) => write),
  checks: repairs.map(({ check }) => check),
});

/** Stores the digest of the Node if another one is stored; `undefined` if it is right. */
const repairDigest = async (
  { objects, capacity }: ReleaseDeps,
  name: string,
): Promise<boolean | undefined> => {
  const row = liveRow(await objects.read(nodeKey(name)));
  if (!row) return undefined;
  const digest = capacityDigest(row.object);
  if ((await capacity.counters(name))?.digest === digest) return undefined;
  const checks = [{ key: row.key, revision: row.revision }];
  return (await capacity.write({ node: name, claims: [], digest, checks })) === 'written';
};

/**
 * Compares claims with the bound pods of a node as they were seen, and the digest with its Node. Each repair is conditional on the revision of the
 * object that it is about. Claims of pods that have ended or are gone are left to `releaseStaleClaims`.
 */
export const reconcileClaims = async (
  deps: ReleaseDeps,
  node: string,
  seen: SeenClaims,
): Promise<ClaimRepairs> => {
  const digest = await repairDigest(deps, node);
  const repairs = await repairsOf(deps, node, seen);
  let claims = 0;
  for (let from = 0; from < repairs.length; from += MOST_CLAIMS) {
    const part = repairs.slice(from, from + MOST_CLAIMS);
    if ((await deps.capacity.write(writeOf(node, part))) === 'written') claims += part.length;
  }
  return {
    digest: digest === true,
    claims,
    left: repairs.length - claims + (digest === false ? 1 : 0),
  };
};
