/** What every write of a Node derives from its shutdown. */

import type { Node } from '../../kube/types/core.ts';
import { GRACEFUL_SHUTDOWN, READY, SHUTTING_DOWN } from '../../kube/types/well-known.ts';
import { bootIdOf } from '../../kube/values/boot-id.ts';
import { type EpochMs, parseTime, toTime } from '../../kube/values/time.ts';
import { trueCondition, withoutCondition, withTrueCondition } from '../drain/lifecycle-conditions.ts';
import { readyOf } from '../nodes/node-conditions.ts';
import { remembersShutdown, shutdownReportOf, withShutdownEnded } from './shutdown-report.ts';

const hasBooted = (after: Node, before: Node | undefined): boolean =>
  bootIdOf(before) !== '' && bootIdOf(after) !== '' && bootIdOf(after) !== bootIdOf(before);

/** The message of Ready of a kubelet whose machine is shutting down. Source: kubernetes v1.37 kubelet `ReadyCondition`. */
const KUBELET_SAYS = 'node is shutting down';

const isSaidByKubelet = (node: Node): boolean => {
  const ready = readyOf(node);
  return ready?.status === 'False' && ready.message?.includes(KUBELET_SAYS) === true;
};

const SHUTDOWN = 'Shutdown';
const SAID_BY_KUBELET = 'The kubelet says that the machine is shutting down';

/** What its kubelet has said stays true of a machine that is silent since, until it boots. */
const isSilentSince = (node: Node, before: Node | undefined): boolean =>
  readyOf(node)?.status === 'Unknown' &&
  trueCondition(before ?? node, GRACEFUL_SHUTDOWN)?.message === SAID_BY_KUBELET;

/** Words that stand there since a shutdown that is over and forgotten tell of no other one. */
const isNewlySaid = (node: Node, before: Node | undefined): boolean =>
  isSaidByKubelet(node) &&
  (!before || !isSaidByKubelet(before) || trueCondition(before, GRACEFUL_SHUTDOWN) !== undefined);

const messageOf = (node: Node, before: Node | undefined): string | undefined => {
  const report = shutdownReportOf(node);
  if (report) return `The node is shutting down: phase ${report.phase} of ${report.phases}`;
  // Whoever reports its shutdown reports its end, too, and the words of its Ready may come later.
  if (remembersShutdown(node)) return undefined;
  const isSaid = isNewlySaid(node, before) || (!hasBooted(node, before) && isSilentSince(node, before));
  return isSaid ? SAID_BY_KUBELET : undefined;
};

const withoutBoth = (node: Node): Node => {
  const others = withoutCondition(node, GRACEFUL_SHUTDOWN, SHUTDOWN);
  const conditions = others.status?.conditions ?? [];
  const left = conditions.filter(({ type }) => type !== SHUTTING_DOWN);
  return left.length === conditions.length
    ? others
    : { ...others, status: { ...others.status, conditions: left } };
};

/** An earlier release has written the old name only: the change was then. */
const sinceOf = (node: Node, now: EpochMs): EpochMs =>
  parseTime(trueCondition(node, SHUTTING_DOWN)?.lastTransitionTime ?? '') ?? now;

const withConditions = (node: Node, before: Node | undefined, now: EpochMs): Node => {
  const message = messageOf(node, before);
  if (message === undefined) return withoutBoth(node);
  const told = withTrueCondition(
    node,
    { type: GRACEFUL_SHUTDOWN, reason: SHUTDOWN, message },
    sinceOf(node, now),
  );
  return withTrueCondition(told, { type: SHUTTING_DOWN, reason: 'GracefulNodeShutdown', message }, now);
};

/**
 * The node with the condition `GracefulNodeShutdownInProgress`, and beside it `ShuttingDown`, while a shutdown goes on that was reported, or that its kubelet
 * tells of, written at `now` (ms), whatever the writer has made of them. A machine that tells another boot id has come back, so its shutdown has ended.
 */
export const withShutdownFields = (after: Node, before: Node | undefined, now: EpochMs): Node =>
  withConditions(hasBooted(after, before) ? withShutdownEnded(after) : after, before, now);

const NOT_READY = { status: 'False', reason: 'KubeletNotReady', message: KUBELET_SAYS } as const;

/** The node as not ready from `now` (ms) on, in the words of a kubelet that shuts down; the same object if it is not ready anyway. */
export const withNotReady = (node: Node, now: EpochMs): Node => {
  const conditions = node.status?.conditions ?? [];
  const index = conditions.findIndex(({ type }) => type === READY);
  const ready = conditions[index];
  if (ready?.status !== 'True') return node;
  const next = conditions.with(index, { ...ready, ...NOT_READY, lastTransitionTime: toTime(now) });
  return { ...node, status: { ...node.status, conditions: next } };
};

/** Whether the machine of the Node is shutting down, by its condition, or by that of an earlier release. */
export const isShuttingDown = (node: Node): boolean =>
  trueCondition(node, GRACEFUL_SHUTDOWN) !== undefined || trueCondition(node, SHUTTING_DOWN) !== undefined;

/** Whether the machine leaves: by its condition, or in the words of its Ready, which may outlast a shutdown that was reported. */
export const isLeaving = (node: Node): boolean => isShuttingDown(node) || isSaidByKubelet(node);
