import type { Pod } from '../../shared/kube/types/core.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { ControlStore } from '../../shared/ports/store/control-store.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { heldNodeOf } from '../../shared/rules/holds/eviction-after-holds.ts';
import { waitUntil } from '../../shared/store/turns/wait-until.ts';
import { isNear, nextDue, sendWakeUp } from './deadlines.ts';
import type { JudgedPod, PodOutcome, TaintedNode } from './evict-pod.ts';
import type { TaintEvictionMessage } from './message.ts';
import { TAINT_EVICTION_QUEUE } from './queue.ts';
import {
  finishEvictions,
  type ReconciledPod,
  type ReconcilePodsDeps,
  reconcilePods,
} from './reconcile-pods.ts';

/** Pods of one part; the clock is read after each part. On the host it is two full groups of commits. */
const TOGETHER = 256;
/**
 * Milliseconds after which a run starts no further part and sends the message again for the remaining pods. Even with its Events,
 * which come last, the run then ends before its function times out, and before the host's queue delivers the message again.
 */
const RUN_MS = 10_000;

export interface TaintEvictionDeps extends ReconcilePodsDeps {
  readonly objects: Pick<ObjectStore, 'read' | 'podsByNode'>;
  readonly control: ControlStore;
  readonly queues: WorkQueues;
}

/** The outcome for each pod, for the metrics. */
export type TaintEvictionReport = readonly PodOutcome[];

type Message<K> = Extract<TaintEvictionMessage, { kind: K }>;

/** The result of one run. `isCut`: its time was over before it reached all pods. */
interface Run {
  readonly nodeName: string;
  readonly settled: readonly ReconciledPod[];
  readonly isCut: boolean;
}

const readNode = async ({ objects }: TaintEvictionDeps, name: string): Promise<TaintedNode> => {
  const row = await objects.read({ resource: 'nodes', namespace: '', name });
  if (row?.state !== 'live')
    return { name, exists: false, noExecute: [], held: { uid: '', target: undefined } };
  return { noExecute: [], ...row.facts.node, name, exists: true, held: heldNodeOf(row.object) };
};

/** Decides about the pods in parts; after the first, starts none at or after `until` (ms). */
const reconcilePodsUntil = async (
  deps: TaintEvictionDeps,
  pods: readonly LiveRow[],
  nodeName: string,
  until: EpochMs,
): Promise<Run> => {
  const settled: ReconciledPod[] = [];
  const evicted: JudgedPod[] = [];
  let from = 0;
  for (; from < pods.length && (from === 0 || deps.clock.now() < until); from += TOGETHER) {
    const node = await readNode(deps, nodeName);
    const part = await reconcilePods(deps, pods.slice(from, from + TOGETHER), node);
    settled.push(...part.settled);
    evicted.push(...part.evicted);
  }
  settled.push(...(await finishEvictions(deps, evicted)));
  return { nodeName, settled, isCut: from < pods.length };
};

const overNode = async (deps: TaintEvictionDeps, { name }: Message<'node'>, until: EpochMs): Promise<Run> => {
  const { value: pods } = await deps.objects.podsByNode(name);
  return reconcilePodsUntil(deps, pods, name, until);
};

/** Deletes the deadline of a pod that is gone, terminating or not bound; decides about any other pod. */
const overPod = async (
  deps: TaintEvictionDeps,
  { namespace, name, uid }: Message<'pod'>,
  until: EpochMs,
): Promise<Run> => {
  const row = await deps.objects.read({ resource: 'pods', namespace, name });
  const pod = row?.state === 'live' && row.uid === uid ? row : undefined;
  const nodeName = (pod?.object as Pod | undefined)?.spec.nodeName ?? '';
  if (!pod || nodeName === '' || pod.object.metadata.deletionTimestamp !== undefined) {
    await deps.control.deleteDeadlines([{ namespace, name, uid }]);
    return { nodeName, settled: [], isCut: false };
  }
  return reconcilePodsUntil(deps, [pod], nodeName, until);
};

const triedOf = ({ settled }: Run) => settled.map(({ tried }) => tried);

const isDue = ({ tried }: ReconciledPod, now: EpochMs): boolean =>
  tried.outcome === 'waiting' && tried.fireAt <= now;

/**
 * Waits for deadlines less than two seconds ahead, one after the other, because queues delay by whole seconds. After each wait it
 * decides again, only about the pods that are due by the clock.
 */
const untilDue = async (deps: TaintEvictionDeps, run: Run, until: EpochMs): Promise<Run> => {
  const { clock } = deps;
  const next = nextDue(triedOf(run));
  if (run.isCut || !next || !isNear(next.fireAt, clock.now()) || clock.now() >= until) return run;
  await waitUntil(clock, next.fireAt);
  const now = clock.now();
  const due = run.settled.filter((one) => isDue(one, now));
  const pods = due.map(({ pod }) => pod);
  const after = await reconcilePodsUntil(deps, pods, run.nodeName, until);
  const settled = [...run.settled.filter((one) => !isDue(one, now)), ...after.settled];
  // None is due if the clock was set back. One that stays due was stored by another run. Both are left to the next run.
  const isStuck = due.length === 0 || after.settled.some((one) => isDue(one, now));
  return isStuck ? { ...after, settled } : untilDue(deps, { ...after, settled }, until);
};

const handle = async (
  deps: TaintEvictionDeps,
  message: TaintEvictionMessage,
  start: (until: EpochMs) => Promise<Run>,
): Promise<TaintEvictionReport> => {
  const until = deps.clock.now() + RUN_MS;
  const run = await untilDue(deps, await start(until), until);
  const tried = triedOf(run);
  if (run.isCut) await deps.queues.send(TAINT_EVICTION_QUEUE.name, [{ body: message }]);
  else await sendWakeUp(deps, message, tried);
  const failed = tried.find(({ outcome }) => outcome === 'failed');
  if (failed?.outcome === 'failed') throw failed.error; // Only now, after all other pods were tried; the message is delivered again.
  return tried.filter((one) => one.outcome !== 'failed');
};

/**
 * Evicts the pods of a node that are due, stores the deadlines of the others, and deletes deadlines that no longer apply. Throws
 * as `reconcile`.
 */
export const reconcileNode = (
  deps: TaintEvictionDeps,
  message: Message<'node'>,
): Promise<TaintEvictionReport> => handle(deps, message, (until) => overNode(deps, message, until));

/** The same for one pod, which was newly bound or got other tolerations. Throws as `reconcile`. */
export const reconcilePod = (
  deps: TaintEvictionDeps,
  message: Message<'pod'>,
): Promise<TaintEvictionReport> => handle(deps, message, (until) => overPod(deps, message, until));

/** Handles a queued message. Throws if a pod could not be read or written, after all others were tried. */
export const reconcile = (
  deps: TaintEvictionDeps,
  message: TaintEvictionMessage,
): Promise<TaintEvictionReport> =>
  message.kind === 'node' ? reconcileNode(deps, message) : reconcilePod(deps, message);
