import type { Pod } from '../../shared/api/core.ts';
import type { EpochMs } from '../../shared/api/time.ts';
import { markPodNotReady, readyStatusOf } from '../../shared/domain/nodes/node-conditions.ts';
import { isUnready } from '../../shared/domain/pods/pod-readiness.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { type EventRecorder, podTarget } from '../../shared/ports/event-recorder.ts';
import type { ObjectStore } from '../../shared/ports/object-store.ts';
import type { LiveRow, ObjectKey } from '../../shared/ports/rows.ts';
import type { WorkQueues } from '../../shared/ports/work-queue.ts';
import { inParallel } from '../../shared/state/in-parallel.ts';
import type { ObjectWriter } from '../../shared/state/object-writer.ts';
import { NODE_NOT_READY } from './events.ts';
import type { PodReadinessMessage } from './message.ts';
import { POD_READINESS_QUEUE } from './queue.ts';

/** Pods of one node written at the same time. */
const CONCURRENCY = 32;
/** Pods of one part; the clock is read after each part. */
const TOGETHER = 200;
/**
 * Milliseconds after which a run starts no further part and sends the message again for the remaining pods. The run then ends
 * before its function times out, and before the host's queue delivers the message again.
 */
const RUN_MS = 10_000;

export interface PodReadinessDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly queues: WorkQueues;
  readonly objects: Pick<ObjectStore, 'read' | 'podsByNode'>;
  readonly writer: ObjectWriter;
  readonly recorder: EventRecorder;
}

export interface PodReadinessReport {
  /** Pods marked not ready. */
  readonly marked: number;
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

type Tried = number | { readonly error: unknown };

/** Marks the pods in parts; after the first, starts none at or after `until` (ms). `isCut`: some pods are left. */
const markUntil = async (
  deps: PodReadinessDeps,
  pods: readonly LiveRow[],
  nodeName: string,
  until: EpochMs,
): Promise<{ readonly outcomes: readonly Tried[]; readonly isCut: boolean }> => {
  const outcomes: Tried[] = [];
  for (let from = 0; from < pods.length; from += TOGETHER) {
    if (from > 0 && deps.clock.now() >= until) return { outcomes, isCut: true };
    const part = await inParallel(pods.slice(from, from + TOGETHER), CONCURRENCY, (pod) =>
      markPod(deps, pod, nodeName).catch((error: unknown) => ({ error })),
    );
    outcomes.push(...part);
  }
  return { outcomes, isCut: false };
};

/** Whether the index shows that the pod needs no mark: its Ready is False, or it has no Ready condition. */
const isMarked = ({ object }: LiveRow): boolean => markPodNotReady(object as Pod, 0) === object;

const markPodsOf = async (
  deps: PodReadinessDeps,
  message: Extract<PodReadinessMessage, { kind: 'node' }>,
): Promise<number> => {
  const until = deps.clock.now() + RUN_MS;
  const { name, uid } = message;
  const node = await nodeRow(deps, name);
  if (node?.uid !== uid || !isUnreadyNode(node)) return 0;
  const { value: pods } = await deps.objects.podsByNode(name);
  const unmarked = pods.filter((pod) => !isMarked(pod));
  const { outcomes, isCut } = await markUntil(deps, unmarked, name, until);
  if (isCut) await deps.queues.send(POD_READINESS_QUEUE.name, [{ body: message }]);
  const failed = outcomes.find((outcome) => typeof outcome !== 'number');
  if (failed) throw failed.error; // Only now, after all other pods were tried; the message is delivered again.
  return outcomes.filter((outcome) => outcome === 1).length;
};

const markIfNodeUnready = async (
  deps: PodReadinessDeps,
  { namespace, name, uid }: Extract<PodReadinessMessage, { kind: 'pod' }>,
): Promise<number> => {
  const row = await liveRow(deps, { resource: 'pods', namespace, name });
  const nodeName = row?.uid === uid ? ((row.object as Pod).spec.nodeName ?? '') : '';
  if (row === undefined || nodeName === '') return 0;
  return isUnreadyNode(await nodeRow(deps, nodeName)) ? markPod(deps, row, nodeName) : 0;
};

/**
 * Marks pods of an unready node as not ready: all pods of a node whose Ready the monitor set to Unknown, or one pod that was
 * bound to an unready node. Does nothing if the node has recovered or another node has its name. Throws if a pod cannot be
 * written.
 */
export const reconcile = async (
  deps: PodReadinessDeps,
  message: PodReadinessMessage,
): Promise<PodReadinessReport> => {
  const marked =
    message.kind === 'node' ? await markPodsOf(deps, message) : await markIfNodeUnready(deps, message);
  return { marked };
};
