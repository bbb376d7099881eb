/** What every write of a Node derives from its shutdown. */

import type { Node } from '../../kube/types/core.ts';
import type { Condition } from '../../kube/types/meta.ts';
import { READY, SHUTTING_DOWN } from '../../kube/types/well-known.ts';
import { bootIdOf } from '../../kube/values/boot-id.ts';
import { type EpochMs, toTime } from '../../kube/values/time.ts';
import { type ShutdownReport, shutdownReportOf, withShutdownEnded } from './shutdown-report.ts';

const hasBooted = (after: Node, before: Node | undefined): boolean =>
  bootIdOf(before) !== '' && bootIdOf(after) !== '' && bootIdOf(after) !== bootIdOf(before);

const conditionOf = (
  { phase, phases }: ShutdownReport,
  present: Condition | undefined,
  now: EpochMs,
): Condition => ({
  type: SHUTTING_DOWN,
  status: 'True',
  reason: 'GracefulNodeShutdown',
  message: `The node is shutting down: phase ${phase} of ${phases}`,
  lastTransitionTime: present?.status === 'True' ? (present.lastTransitionTime ?? toTime(now)) : toTime(now),
});

const withCondition = (node: Node, now: EpochMs): Node => {
  const report = shutdownReportOf(node);
  const conditions = node.status?.conditions ?? [];
  const index = conditions.findIndex(({ type }) => type === SHUTTING_DOWN);
  if (!report && index < 0) return node;
  const others = conditions.filter(({ type }) => type !== SHUTTING_DOWN);
  const next = report ? [...others, conditionOf(report, conditions[index], now)] : others;
  return { ...node, status: { ...node.status, conditions: next } };
};

/**
 * The node with the condition `ShuttingDown` while its shutdown goes on, written at `now` (ms), whatever the writer has made of the conditions. A machine that
 * tells another boot id has come back, so its shutdown has ended.
 */
export const withShutdownFields = (after: Node, before: Node | undefined, now: EpochMs): Node =>
  withCondition(hasBooted(after, before) ? withShutdownEnded(after) : after, now);

/** The kubelet's words. Source: kubernetes v1.34 pkg/kubelet/nodeshutdown. */
const NOT_READY = { status: 'False', reason: 'KubeletNotReady', message: 'node is shutting down' } as const;

/** The node as not ready from `now` (ms) on, in the words of a kubelet that shuts down; the same object if it is not ready anyway. */
export const withNotReady = (node: Node, now: EpochMs): Node => {
  const conditions = node.status?.conditions ?? [];
  const index = conditions.findIndex(({ type }) => type === READY);
  const ready = conditions[index];
  if (ready?.status !== 'True') return node;
  const next = conditions.with(index, { ...ready, ...NOT_READY, lastTransitionTime: toTime(now) });
  return { ...node, status: { ...node.status, conditions: next } };
};

/** Whether the Node says that it is shutting down. */
export const isShuttingDown = ({ status }: Node): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === SHUTTING_DOWN && is === 'True') === true;
