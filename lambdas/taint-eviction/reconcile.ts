import type { Pod } from '../../shared/api/core.ts';
import type { EpochMs } from '../../shared/api/time.ts';
import type { ControlStore } from '../../shared/ports/control-store.ts';
import type { ObjectStore } from '../../shared/ports/object-store.ts';
import type { LiveRow } from '../../shared/ports/rows.ts';
import type { WorkQueues } from '../../shared/ports/work-queue.ts';
import { waitUntil } from '../../shared/state/wait-until.ts';
import { isNear, nextDue, sendWakeUp } from './deadlines.ts';
import type { JudgedPod, PodOutcome, TaintedNode } from './evict-pod.ts';
import type { TaintEvictionMessage } from './message.ts';
import { TAINT_EVICTION_QUEUE } from './queue.ts';
import { finishEvictions, type ReconcilePodsDeps, reconcilePods, type SettledPod } from './reconcile-pods.ts';

/** Pods decided about together. */
const TOGETHER = 200;
/**
 * Milliseconds after which a run begins no further part and hands the message on. With the events of its evictions, which
 * come last, it ends before its function times out and before a host's queue brings the message again.
 */
const RUN_MS = 10_000;

export interface TaintEvictionDeps extends ReconcilePodsDeps {
  readonly objects: Pick<ObjectStore, 'read' | 'podsByNode'>;
  readonly control: ControlStore;
  readonly queues: WorkQueues;
}

/** One outcome per pod looked at, for the figures. */
export type TaintEvictionReport = readonly PodOutcome[];

type Message<K> = Extract<TaintEvictionMessage, { kind: K }>;

/** What one run has done; `isCut`: its time was over before all pods were looked at. */
interface Run {
  readonly nodeName: string;
  readonly settled: readonly SettledPod[];
  readonly isCut: boolean;
}

const readNode = async ({ objects }: TaintEvictionDeps, name: string): Promise<TaintedNode> => {
  const row = await objects.read({ resource: 'nodes', namespace: '', name });
  if (row?.state !== 'live') return { name, exists: false, noExecute: [] };
  return { noExecute: [], ...row.facts.node, name, exists: true };
};

/** Decides about the pods, a part at a time, until the instant; at least about one part. */
const reconcilePodsUntil = async (
  deps: TaintEvictionDeps,
  pods: readonly LiveRow[],
  nodeName: string,
  until: EpochMs,
): Promise<Run> => {
  const settled: SettledPod[] = [];
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

/** A pod that is gone, terminating or not bound owes nothing: what is stored for it goes. */
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

const isDue = ({ tried }: SettledPod, now: EpochMs): boolean =>
  tried.outcome === 'waiting' && tried.fireAt <= now;

/**
 * Deadlines less than two seconds ahead are waited for here, one after the other, as queues count whole seconds. Only the
 * pods that are due by the clock after the wait are decided about again.
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
  // A clock that was set back leaves none due; a deadline that stays due is somebody else's: the next run looks.
  const isStuck = due.length === 0 || after.settled.some((one) => isDue(one, now));
  return isStuck ? { ...after, settled } : untilDue(deps, { ...after, settled }, until);
};

const handle = async (
  deps: TaintEvictionDeps,
  message: TaintEvictionMessage,
  look: (until: EpochMs) => Promise<Run>,
): Promise<TaintEvictionReport> => {
  const until = deps.clock.now() + RUN_MS;
  const run = await untilDue(deps, await look(until), until);
  const tried = triedOf(run);
  if (run.isCut) await deps.queues.send(TAINT_EVICTION_QUEUE.name, [{ body: message }]);
  else await sendWakeUp(deps, message, tried);
  const failed = tried.find(({ outcome }) => outcome === 'failed');
  if (failed?.outcome === 'failed') throw failed.error; // After all others were tried: the message comes again.
  return tried.filter((one) => one.outcome !== 'failed');
};

/** Evicts the pods of a node that are due, stores the deadlines of the others, and clears those that no longer hold. */
export const reconcileNode = (
  deps: TaintEvictionDeps,
  message: Message<'node'>,
): Promise<TaintEvictionReport> => handle(deps, message, (until) => overNode(deps, message, until));

/** The same for one pod: newly bound, or with other tolerations. */
export const reconcilePod = (
  deps: TaintEvictionDeps,
  message: Message<'pod'>,
): Promise<TaintEvictionReport> => handle(deps, message, (until) => overPod(deps, message, until));

/** What a queued message asks for. Throws when a pod cannot be written. */
export const reconcile = (
  deps: TaintEvictionDeps,
  message: TaintEvictionMessage,
): Promise<TaintEvictionReport> =>
  message.kind === 'node' ? reconcileNode(deps, message) : reconcilePod(deps, message);
