/** Tells the owners of its pods that a node shuts down, and ends the shutdown at its deadline. */
import { conflict } from '../../shared/kube/errors/status-error.ts';
import type { Pod } from '../../shared/kube/types/core.ts';
import { type LiveRow, liveRow, nodeKey } from '../../shared/ports/store/rows.ts';
import { withEndOfNode } from '../../shared/rules/shutdown/ended-pods.ts';
import { shutdownAt } from '../../shared/rules/shutdown/shutdown-facts.ts';
import {
  remembersShutdown,
  withShutdownEnded,
  withShutdownForgotten,
} from '../../shared/rules/shutdown/shutdown-report.ts';
import { delayPast } from '../../shared/rules/wake-up.ts';
import type { PodReadinessDeps } from './deps.ts';
import { RUN_MS } from './deps.ts';
import type { PodReadinessMessage } from './message.ts';
import { changeUntil, countOf } from './pods-of-node.ts';
import { POD_READINESS_QUEUE } from './queue.ts';

/** Pods that are written at the same time: their transactions all check the row of the node, and get into each other's way. */
const CONCURRENCY = 8;

type ShutdownMessage = Extract<PodReadinessMessage, { kind: 'shutdown' }>;
/** Changes the pod if it is on the node and the node is as it was read: a shutdown may have begun or ended meanwhile. */
const changePod = async (
  { writer }: Pick<PodReadinessDeps, 'writer'>,
  { key, uid }: Pick<LiveRow, 'key' | 'uid'>,
  node: LiveRow,
): Promise<number | 'again'> => {
  const result = await writer.write(key, (row, now) => {
    const stored = liveRow(row);
    const pod = stored?.uid === uid ? (stored.object as Pod) : undefined;
    if (pod?.spec.nodeName !== node.key.name) return undefined;
    const next = withEndOfNode(pod, node.facts.node, now);
    const rows = [{ key: node.key, revision: node.revision }];
    return next === pod ? undefined : { next, writer: 'controller', rows };
  });
  if (result.outcome === 'checkFailed') return 'again';
  return result.outcome === 'written' ? 1 : 0;
};

/** Its write sends the next message, which takes the marks away. */
const endAtDeadline = async (
  { writer, clock }: PodReadinessDeps,
  { key, uid, facts }: LiveRow,
): Promise<boolean> => {
  const { shutdown } = facts.node ?? {};
  if (!shutdown || clock.now() < shutdown.endsAt) return false;
  const result = await writer.write(key, (row, now) => {
    const stored = liveRow(row);
    const current = stored?.facts.node?.shutdown;
    if (!stored || stored.uid !== uid || !current || now < current.endsAt) return undefined;
    return { next: withShutdownEnded(stored.object), writer: 'controller' };
  });
  return result.outcome === 'written';
};

/** The next look: at once if pods are left, else at the deadline. A second look because of a lagging index plans none. */
const sendNext = async (
  { queues, clock }: PodReadinessDeps,
  message: ShutdownMessage,
  { facts }: LiveRow,
  isCut: boolean,
): Promise<void> => {
  const endsAt = facts.node?.shutdown?.endsAt;
  const { isSecond, isResync: _, ...body } = message;
  if (isCut) await queues.send(POD_READINESS_QUEUE.name, [{ body: message }]);
  else if (endsAt !== undefined && !isSecond)
    await queues.send(POD_READINESS_QUEUE.name, [
      { body, delaySeconds: Math.max(1, delayPast(endsAt, clock.now())) },
    ]);
};

/** After a resync has found no mark left, the next ones need not look for any. */
const forget = async ({ writer }: PodReadinessDeps, { key, uid }: LiveRow): Promise<void> => {
  await writer.write(key, (row) => {
    const stored = liveRow(row);
    if (!stored || stored.uid !== uid || !remembersShutdown(stored.object)) return undefined;
    return { next: withShutdownForgotten(stored.object), writer: 'controller' };
  });
};

/** Looks at the pods of a node whose shutdown has begun, gone on or ended, or whose deadline is near. Throws as `reconcile`. */
export const lookAtShutdown = async (deps: PodReadinessDeps, message: ShutdownMessage): Promise<number> => {
  const until = deps.clock.now() + RUN_MS;
  const node = liveRow(await deps.objects.read(nodeKey(message.name)));
  if (!node || node.uid !== message.uid || (await endAtDeadline(deps, node))) return 0;
  const now = deps.clock.now();
  const { value: pods } = await deps.objects.podsByNode(message.name);
  const wrong = pods.filter(({ object }) => withEndOfNode(object as Pod, node.facts.node, now) !== object);
  const { outcomes, isCut } = await changeUntil(deps.clock, wrong, CONCURRENCY, until, (pod) =>
    changePod(deps, pod, node),
  );
  await sendNext(deps, message, node, isCut);
  const changed = countOf(outcomes);
  if (message.isResync && wrong.length === 0) await forget(deps, node);
  return changed;
};

/** A pod that was bound to a node that shuts down. Throws a conflict if the node has changed meanwhile. */
export const markIfEnding = async (deps: PodReadinessDeps, pod: LiveRow, node: LiveRow): Promise<void> => {
  const now = deps.clock.now();
  if (!shutdownAt(node.facts.node, now)) return;
  if ((await changePod(deps, pod, node)) === 'again') throw conflict(node.key);
};
