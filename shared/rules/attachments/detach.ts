/** When a volume leaves a node. Source: kubernetes v1.34 pkg/controller/volume/attachdetach/reconciler. */
import type { Node } from '../../kube/types/core.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { readyStatusOf } from '../nodes/node-conditions.ts';
import { hasOutOfServiceTaint } from '../nodes/out-of-service.ts';
import { isAhead } from '../zones/future-instants.ts';

/** Milliseconds for which a node that does not answer may keep a volume that nobody wants there. Kubernetes: `maxWaitForUnmountDuration`. */
export const UNMOUNT_WAIT_MS = 6 * 60_000;

/** Why a volume leaves its node. All but the first do without the node's word that it no longer uses the volume. */
export type DetachReason = 'unused' | 'timeout' | 'out-of-service';

/**
 * `detach`: now. `wait`: the node may still use it. `since`: when nobody wanted it any more (ms), to be stored; `until`: when time alone
 * may change the verdict (ms), absent if it does not.
 */
export type DetachVerdict =
  | { readonly verdict: 'detach'; readonly reason: DetachReason }
  | { readonly verdict: 'wait'; readonly since: EpochMs; readonly until?: EpochMs };

/** Nobody knows what a node uses whose Node is gone. */
const mayUse = (node: Node | undefined, uniqueName: string): boolean => {
  const inUse = node?.status?.['volumesInUse'] as readonly string[] | null | undefined;
  return node === undefined || (inUse ?? []).includes(uniqueName);
};

/** An instant that was stored by a clock that is ahead begins again. */
const sinceOf = (requestedAt: EpochMs | undefined, now: EpochMs): EpochMs =>
  requestedAt === undefined || isAhead(requestedAt, now) ? now : requestedAt;

/**
 * Whether a volume that no pod wants at the node leaves it. `node`: `undefined` if the Node is gone; `requestedAt`: the stored instant since
 * which nobody wants it (ms); `mayForce`: setting `disableForceDetachOnTimeout` is off.
 */
export const judgeDetach = (
  node: Node | undefined,
  uniqueName: string,
  requestedAt: EpochMs | undefined,
  now: EpochMs,
  mayForce: boolean,
): DetachVerdict => {
  if (!mayUse(node, uniqueName)) return { verdict: 'detach', reason: 'unused' };
  if (node && hasOutOfServiceTaint(node)) return { verdict: 'detach', reason: 'out-of-service' };
  const since = sinceOf(requestedAt, now);
  const isHealthy = node !== undefined && readyStatusOf(node) === 'True';
  if (isHealthy || !mayForce) return { verdict: 'wait', since };
  return now - since > UNMOUNT_WAIT_MS
    ? { verdict: 'detach', reason: 'timeout' }
    : { verdict: 'wait', since, until: since + UNMOUNT_WAIT_MS + 1 };
};
