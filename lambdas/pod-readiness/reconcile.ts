import type { Pod } from '../../shared/kube/types/core.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import { podTarget } from '../../shared/ports/process/event-recorder.ts';
import type { LiveRow, ObjectKey } from '../../shared/ports/store/rows.ts';
import { markPodNotReady, readyStatusOf } from '../../shared/rules/nodes/node-conditions.ts';
import { isUnready } from '../../shared/rules/pods/pod-readiness.ts';
import { type PodReadinessDeps, RUN_MS } from './deps.ts';
import { NODE_NOT_READY } from './events.ts';
import type { PodReadinessMessage, SilencedNode } from './message.ts';
import { lookAtShutdown, markIfEnding } from './node-shutdown.ts';
import { type Changed, changeUntil, countOf, failed, NOTHING_CHANGED, type Tried } from './pods-of-node.ts';
import { POD_READINESS_QUEUE } from './queue.ts';

/** Pods of one node written at the same time. */
const CONCURRENCY = 32;

export interface PodReadinessReport {
  /** Pods marked not ready. */
  readonly marked: number;
  /** Pods that were marked as ending with their node, or are no longer. Absent: the message was about something else. */
  readonly ending?: number;
}

type Target = Pick<LiveRow, 'key' | 'uid'>;

const liveRow = async ({ objects }: PodReadinessDeps, key: ObjectKey): Promise<LiveRow | undefined> => {
  const row = await objects.read(key);
  return row?.state === 'live' ? row : undefined;
};

const nodeRow = (deps: PodReadinessDeps, name: string): Promise<LiveRow | undefined> =>
  liveRow(deps, { resource: 'nodes', namespace: '', name });

const isUnreadyNode = (row: LiveRow | undefined): boolean =>
  row !== undefined && isUnready(readyStatusOf(row.object));

/** Marks one pod if it is still the same pod and still on the node, then records the Event. Returns how many it marked: 0 or 1. */
const markPod = async (
  { writer, recorder }: PodReadinessDeps,
  { key, uid }: Target,
  nodeName: string,
): Promise<number> => {
  const result = await writer.write(key, (row, now) => {
    const pod = row?.state === 'live' && row.uid === uid ? (row.object as Pod) : undefined;
    if (pod?.spec.nodeName !== nodeName) return undefined;
    const next = markPodNotReady(pod, now);
    return next === pod ? undefined : { next, writer: 'controller' };
  });
  if (result.outcome !== 'written') return 0;
  const revision = result.object.metadata.resourceVersion ?? '';
  await recorder.record(podTarget(result.object as Pod), NODE_NOT_READY, revision);
  return 1;
};

/** Whether the index shows that the pod needs no mark: its Ready is False, or it has no Ready condition. */
const isMarked = ({ object }: LiveRow): boolean => markPodNotReady(object as Pod, 0) === object;

/** Starts no part of the pods at or after `until` (ms), but the first. */
const markPodsOf = async (
  deps: PodReadinessDeps,
  { name, uid }: SilencedNode,
  until: EpochMs,
): Promise<Changed> => {
  const node = await nodeRow(deps, name);
  if (node?.uid !== uid || !isUnreadyNode(node)) return NOTHING_CHANGED;
  const { value: pods } = await deps.objects.podsByNode(name);
  const unmarked = pods.filter((pod) => !isMarked(pod));
  return changeUntil(deps.clock, unmarked, CONCURRENCY, until, (pod) => markPod(deps, pod, name));
};

/** Marks the pods of one node after the other. The nodes for which there is no time go into a message of their own. */
const markPodsOfAll = async (deps: PodReadinessDeps, nodes: readonly SilencedNode[]): Promise<number> => {
  const until = deps.clock.now() + RUN_MS;
  const outcomes: Tried[] = [];
  const left: SilencedNode[] = [];
  for (const node of nodes) {
    const isLate = node !== nodes[0] && deps.clock.now() >= until;
    const changed = isLate
      ? { outcomes: [], isCut: true }
      : await markPodsOf(deps, node, until).catch((error: unknown) => failed(error));
    outcomes.push(...changed.outcomes);
    if (changed.isCut) left.push(node);
  }
  if (left.length > 0)
    await deps.queues.send(POD_READINESS_QUEUE.name, [{ body: { v: 1, kind: 'nodes', nodes: left } }]);
  return countOf(outcomes);
};

const markIfNodeUnready = async (
  deps: PodReadinessDeps,
  { namespace, name, uid }: Extract<PodReadinessMessage, { kind: 'pod' }>,
): Promise<number> => {
  const row = await liveRow(deps, { resource: 'pods', namespace, name });
  const nodeName = row?.uid === uid ? ((row.object as Pod).spec.nodeName ?? '') : '';
  if (row === undefined || nodeName === '') return 0;
  const node = await nodeRow(deps, nodeName);
  if (node) await markIfEnding(deps, row, node);
  return isUnreadyNode(node) ? markPod(deps, row, nodeName) : 0;
};

/**
 * Marks pods of an unready node as not ready: all pods of nodes whose Ready the monitor set to Unknown, or one pod that was
 * bound to an unready node; and the pods that end with a node that shuts down. Does nothing if the node has recovered or another node has its name. Throws if a pod cannot be
 * written.
 */
export const reconcile = async (
  deps: PodReadinessDeps,
  message: PodReadinessMessage,
): Promise<PodReadinessReport> => {
  if (message.kind === 'shutdown') return { marked: 0, ending: await lookAtShutdown(deps, message) };
  if (message.kind === 'pod') return { marked: await markIfNodeUnready(deps, message) };
  const { nodes } =
    message.kind === 'nodes' ? message : { nodes: [{ name: message.name, uid: message.uid }] };
  return { marked: await markPodsOfAll(deps, nodes) };
};
