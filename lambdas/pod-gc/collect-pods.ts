/** Deletes pods by force, each on the grounds that were read. */

import { conflict } from '../../shared/kube/errors/status-error.ts';
import type { Pod } from '../../shared/kube/types/core.ts';
import type { HoldClass } from '../../shared/kube/types/hold.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { TerminatedPod } from '../../shared/ports/store/object-store.ts';
import {
  goneSince,
  type LiveRow,
  liveRow,
  nodeKey,
  type ObjectKey,
  type Row,
  type RowCheck,
} from '../../shared/ports/store/rows.ts';
import { type HoldTarget, targetOf } from '../../shared/rules/holds/held-by.ts';
import {
  forceDeleted,
  gcReason,
  type NodeOfPod,
  nodeOfPod,
  type PodGcReason,
} from '../../shared/rules/pods/pod-gc.ts';
import { terminatedPlace } from '../../shared/rules/pods/terminated-pods.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import { type CollectedPod, type Collection, NOTHING, type PodGcDeps } from './deps.ts';

/** Fewer than connections: the transactions of a node's pods all check the row of the node, and get into each other's way. */
const CONCURRENCY = 16;
/** Attempts for one pod: each but the last found that its node had changed since it was read. */
const ATTEMPTS = 5;

/** What a pod's deletion rests on: its node as it was read. */
export interface Grounds {
  readonly nodeName: string;
  readonly node: NodeOfPod;
  readonly checks: readonly RowCheck[];
  /** The node, for holds; absent: it is gone, and its labels with it. */
  readonly target?: HoldTarget;
}

/** The grounds of pods whose node is gone and has not been there since it had this uid; `''` if nobody knows one. */
export const goneGrounds = (nodeName: string, lastUid: string): Grounds => ({
  nodeName,
  node: 'gone',
  checks: [goneSince(nodeKey(nodeName), lastUid)],
});

/** The grounds that follow from the row of a node; `''`: the pods name none. */
export const groundsOf = (nodeName: string, row: Row | undefined): Grounds => {
  const live = liveRow(row);
  const node = nodeOfPod(nodeName, live?.object);
  if (node === 'gone') return goneGrounds(nodeName, row?.uid ?? '');
  const checks =
    node === 'out-of-service' && live ? [{ key: nodeKey(nodeName), revision: live.revision }] : [];
  return { nodeName, node, checks, ...optional('target', live && targetOf(live.object)) };
};

/** Reads the node. */
export const readGrounds = async (
  { objects }: Pick<PodGcDeps, 'objects'>,
  nodeName: string,
): Promise<Grounds> =>
  groundsOf(nodeName, nodeName === '' ? undefined : await objects.read(nodeKey(nodeName)));

/** What of a Hold keeps a pod that would be deleted for this reason; `undefined`: it has no node, or has ended. */
const stoppedBy = (reason: PodGcReason): HoldClass | undefined => {
  if (reason === 'out-of-service') return 'Fencing';
  return reason === 'orphaned' || reason === 'former-node' ? 'NodeDeletion' : undefined;
};

/** What a write must still find: `undefined` if the pod stays. */
type Decide = (pod: Pod) => PodGcReason | undefined;

const write = async (
  { writer }: PodGcDeps,
  key: ObjectKey,
  decide: Decide,
  { checks: rows, target }: Pick<Grounds, 'checks' | 'target'> = { checks: [] },
  seen?: LiveRow,
): Promise<'deleted' | 'kept' | 'held' | 'again'> => {
  const result = await writer.destroy(
    key,
    (found, now) => {
      const row = liveRow(found);
      const reason = row && (seen === undefined || row.uid === seen.uid) && decide(row.object as Pod);
      if (!row || !reason) return undefined;
      const held = { stops: stoppedBy(reason), node: target };
      return { ...forceDeleted(row.object as Pod, reason, now), ...held, writer: 'controller', rows };
    },
    seen,
  );
  if (result.outcome === 'checkFailed') return 'again';
  if (result.outcome === 'held') return 'held';
  return result.outcome === 'written' ? 'deleted' : 'kept';
};

type Tried = CollectedPod | undefined;

const deletedFor = (
  { namespace }: ObjectKey,
  reason: PodGcReason,
  outcome: 'deleted' | 'kept' | 'held',
): Tried => (outcome === 'kept' ? undefined : { namespace, reason, outcome });

/** Tries all pods, but begins with none at or after `until` (ms). Never throws. */
export const tryAll = async <T extends { readonly key: ObjectKey }>(
  { clock, podsAtOnce = CONCURRENCY }: PodGcDeps,
  pods: readonly T[],
  reason: PodGcReason,
  until: EpochMs,
  work: (pod: T) => Promise<Tried>,
): Promise<Collection> => {
  let isCut = false;
  const tried = await inParallel(pods, podsAtOnce, async (pod): Promise<Tried> => {
    if (isCut || clock.now() >= until) {
      isCut = true;
      return undefined;
    }
    const { namespace } = pod.key;
    return work(pod).catch((error: unknown) => ({ namespace, reason, outcome: 'failed', error }));
  });
  return { pods: tried.filter((one) => one !== undefined), isCut };
};

const REASONS: Readonly<Record<NodeOfPod, PodGcReason | undefined>> = {
  none: 'unscheduled',
  gone: 'orphaned',
  'out-of-service': 'out-of-service',
  serving: undefined,
};

const collectPod = async (
  deps: PodGcDeps,
  pod: LiveRow,
  reason: PodGcReason,
  first: Grounds,
  readAgain: () => Promise<Grounds>,
): Promise<Tried> => {
  let grounds = first;
  for (let tries = 1; tries <= ATTEMPTS; tries += 1) {
    const { nodeName, node } = grounds;
    const decide: Decide = (given) =>
      (given.spec.nodeName ?? '') === nodeName && gcReason(given, node) === reason ? reason : undefined;
    const outcome = await write(deps, pod.key, decide, grounds, pod);
    if (outcome !== 'again') return deletedFor(pod.key, reason, outcome);
    grounds = await readAgain();
  }
  throw conflict({ resource: pod.key.resource, name: pod.key.name });
};

/**
 * Deletes those of the pods that have to go on these grounds, until the instant (ms). If the node has changed since it was read, it asks for
 * new grounds. Never throws.
 */
export const collectPods = async (
  deps: PodGcDeps,
  pods: readonly LiveRow[],
  grounds: Grounds,
  readAgain: () => Promise<Grounds>,
  until: EpochMs,
): Promise<Collection> => {
  const reason = REASONS[grounds.node];
  if (reason === undefined) return NOTHING;
  return tryAll(deps, pods, reason, until, (pod) => collectPod(deps, pod, reason, grounds, readAgain));
};

/** Deletes terminated pods whose place is still the one that was seen, until the instant (ms). Never throws. */
export const collectTerminated = (
  deps: PodGcDeps,
  pods: readonly TerminatedPod[],
  until: EpochMs,
): Promise<Collection> =>
  tryAll(deps, pods, 'terminated', until, async ({ key, place }) => {
    const outcome = await write(deps, key, (pod) =>
      terminatedPlace(pod) === place ? 'terminated' : undefined,
    );
    return outcome === 'again' ? undefined : deletedFor(key, 'terminated', outcome);
  });
