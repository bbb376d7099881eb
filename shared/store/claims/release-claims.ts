/** Gives back the room of pods that have ended or are gone. */

import { tooManyRequests } from '../../kube/errors/status-error.ts';
import type { Pod } from '../../kube/types/core.ts';
import { type BackOffDelays, backOff } from '../../kube/values/back-off.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { IdSource } from '../../ports/process/id-source.ts';
import type { CapacityStore, CapacityWrite, ClaimWrite } from '../../ports/store/capacity.ts';
import { MOST_CLAIMS } from '../../ports/store/capacity.ts';
import type { ObjectStore } from '../../ports/store/object-store.ts';
import type { RowCheck } from '../../ports/store/rows.ts';
import { liveRow } from '../../ports/store/rows.ts';
import type { CapacityClaim } from '../../rules/scheduling/cluster/capacity-claim.ts';
import { releasedClaim } from '../../rules/scheduling/cluster/capacity-claim.ts';
import { inParallel } from '../turns/in-parallel.ts';
import { createPatience } from '../turns/retry-budget.ts';
import type { SeenClaims } from './claims-of-node.ts';

/** Milliseconds after which a release is given up if each attempt was refused. */
const GIVE_UP_MS = 4_000;
const RETRY: BackOffDelays = { firstMs: 10, mostMs: 200 };
const READS_AT_ONCE = 16;

/** What a release needs. */
export interface ReleaseDeps {
  readonly objects: Pick<ObjectStore, 'read'>;
  readonly capacity: CapacityStore;
  readonly clock: Clock;
  readonly ids: Pick<IdSource, 'random'>;
}

interface Release {
  readonly write: ClaimWrite;
  readonly check?: RowCheck;
}

/** Looks at the pod of a claim. There is nothing to release if the claim stays as it is. */
const releaseOf = async ({ objects }: ReleaseDeps, claim: CapacityClaim): Promise<readonly Release[]> => {
  const { uid, namespace, name } = claim;
  const key = { resource: 'pods', namespace, name };
  const row = liveRow(await objects.read(key));
  const next = releasedClaim(claim, row?.uid === uid ? (row.object as Pod) : undefined);
  if (next === claim) return [];
  // A claim may be visible before its pod is: only the transaction can tell.
  return [{ write: { uid, read: claim, next }, ...(next ? {} : { check: { key, goneUid: uid } }) }];
};

const pathOf = ({ key: { namespace, name } }: RowCheck): string => `${namespace}/${name}`;

const writeOf = (node: string, releases: readonly Release[]): CapacityWrite => ({
  node,
  claims: releases.map(({ write }) => write),
  checks: releases.flatMap(({ check }) => check ?? []),
});

const checksRow = (releases: readonly Release[], { check }: Release): boolean =>
  releases.some((one) => one.check && check && pathOf(one.check) === pathOf(check));

/** Parts of which each fits into one transaction. A transaction cannot check one row for two pods that had the same name. */
const inTransactions = (releases: readonly Release[]): readonly (readonly Release[])[] => {
  const parts: Release[][] = [];
  for (const release of releases) {
    const part = parts.find((one) => one.length < MOST_CLAIMS && !checksRow(one, release));
    if (part) part.push(release);
    else parts.push([release]);
  }
  return parts;
};

/** Releases what it can. `left`: the uids of the claims that it has to look at again. */
const releaseOnce = async (
  deps: ReleaseDeps,
  node: string,
  claims: readonly CapacityClaim[],
): Promise<{ readonly written: number; readonly left: readonly string[] }> => {
  const releases = (await inParallel(claims, READS_AT_ONCE, (claim) => releaseOf(deps, claim))).flat();
  const left: string[] = [];
  for (const part of inTransactions(releases)) {
    const outcome = await deps.capacity.write(writeOf(node, part));
    if (outcome !== 'written') left.push(...part.map(({ write }) => write.uid));
  }
  return { written: releases.length - left.length, left };
};

/** Releases what is to release, and returns how many claims. `claims` may be as they were seconds ago. */
const release = async (
  deps: ReleaseDeps,
  node: string,
  claims: readonly CapacityClaim[],
): Promise<number> => {
  const { capacity, clock, ids } = deps;
  const isOver = createPatience(clock, GIVE_UP_MS);
  let looked = claims;
  let released = 0;
  for (let tries = 1; ; tries += 1) {
    const { written, left } = await releaseOnce(deps, node, looked);
    released += written;
    if (left.length === 0) return released;
    if (isOver()) throw tooManyRequests(`too many changes of the pods of node ${node}; try again`);
    await clock.sleep(ids.random() * backOff(RETRY, tries - 1));
    // Not by a query, which may show a claim as it was seconds ago.
    looked = await capacity.claimsOf(node, left);
  }
};

/**
 * Releases the claims of these pods of a node, and returns how many it ended or deleted. It reads claims first, then pods: so a pod
 * that is missing is gone, or its bind is not yet visible, which the transaction finds out. It may be repeated, doubled or late.
 * Throws 429 if it is refused for four seconds; what it has released until then is released.
 */
export const releaseClaims = async (
  deps: ReleaseDeps,
  node: string,
  uids: readonly string[],
): Promise<number> => release(deps, node, await deps.capacity.claimsOf(node, uids));

/** The same for all claims of a node whose pods seem to have ended or to be gone. */
export const releaseStaleClaims = async (
  deps: ReleaseDeps,
  node: string,
  { claims, pods }: SeenClaims,
): Promise<number> => {
  const podOf = new Map(pods.map(({ uid, object }) => [uid, object as Pod]));
  return release(
    deps,
    node,
    claims.filter((claim) => releasedClaim(claim, podOf.get(claim.uid)) !== claim),
  );
};
