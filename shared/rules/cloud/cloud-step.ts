/** What the word of a cloud about a machine makes of its Node. Source: kubernetes v1.34 cloud-provider controllers/nodelifecycle. */
import type { Node } from '../../kube/types/core.ts';
import { TAINT_SHUTDOWN } from '../../kube/types/well-known.ts';
import { type BackOffDelays, backOff } from '../../kube/values/back-off.ts';
import { type EpochMs, parseTime } from '../../kube/values/time.ts';
import { readyStatusOf } from '../nodes/node-conditions.ts';
import { hasTaint, removeTaint, swapTaints, taintsOf, withTaints } from '../nodes/taints.ts';
import { initialised, isUninitialised } from './initialise.ts';
import type { InstanceAnswer } from './instance.ts';
import { withMachine } from './verified-machine.ts';

/** What happens to the Node. `isMissing`: only if a provider that does not find a machine is trusted. */
export type CloudStep =
  | { readonly does: 'nothing' }
  | { readonly does: 'delete'; readonly isMissing: boolean }
  | { readonly does: 'write'; readonly next: Node; readonly isInitialised: boolean };

const NOTHING: CloudStep = { does: 'nothing' };

/** Milliseconds for which a Node without a providerID may wait for its initialisation before it can be missing. */
const PATIENCE_MS = 60_000;

const SHUTDOWN = { key: TAINT_SHUTDOWN, effect: 'NoSchedule' } as const;

const isReady = (node: Node): boolean => readyStatusOf(node) === 'True';

const isTooYoung = (node: Node, now: EpochMs): boolean => {
  const createdAt = parseTime(node.metadata.creationTimestamp ?? '') ?? now;
  return !node.spec?.providerID && isUninitialised(node) && now - createdAt < PATIENCE_MS;
};

const withShutdownTaint = (node: Node, isShutDown: boolean, now: EpochMs): Node => {
  const taints = taintsOf(node);
  if (isReady(node)) return withTaints(node, removeTaint(taints, SHUTDOWN));
  return isShutDown ? withTaints(node, swapTaints(taints, [SHUTDOWN], [], now)) : node;
};

/** Whether the node has the taint of a machine that its cloud has shut down. */
export const hasShutdownTaint = (node: Node): boolean => hasTaint(taintsOf(node), SHUTDOWN);

/**
 * What the answer makes of the Node at `now` (ms). A terminated machine never comes back, so its Node goes although it may still be ready.
 * "Missing" counts only for a Node that is not ready. `isShared`: another live Node names the machine. Only the Node itself is changed, so its own word about its machine
 * is enough; what the answer proves is written into it (`withMachine`).
 */
export const cloudStep = (node: Node, answer: InstanceAnswer, now: EpochMs, isShared = false): CloudStep => {
  if (answer === 'missing')
    return isReady(node) || isTooYoung(node, now) ? NOTHING : { does: 'delete', isMissing: true };
  if (answer !== 'unknown' && answer.state === 'terminated') return { does: 'delete', isMissing: false };
  const isShutDown = answer !== 'unknown' && answer.state === 'stopped';
  const fresh = answer !== 'unknown' && isUninitialised(node) ? initialised(node, answer) : undefined;
  const next = withMachine(withShutdownTaint(fresh ?? node, isShutDown, now), answer, isShared);
  return next === node ? NOTHING : { does: 'write', next, isInitialised: fresh !== undefined };
};

const IN_BETWEEN: readonly string[] = ['pending', 'stopping', 'shutting-down'];

/** Whether the answer will change soon, or the Node still waits for one. */
export const isUnsettled = (node: Node, answer: InstanceAnswer): boolean => {
  if (answer === 'unknown') return false;
  if (isUninitialised(node)) return true;
  return answer !== 'missing' && !isReady(node) && IN_BETWEEN.includes(answer.state);
};

const LOOK_AGAIN: BackOffDelays = { firstMs: 5_000, mostMs: 300_000 };

/** Seconds until the next look at such a Node, after `tries` looks in a row: from 5 to 300. */
export const nextLookSeconds = (tries: number): number => backOff(LOOK_AGAIN, tries) / 1000;
