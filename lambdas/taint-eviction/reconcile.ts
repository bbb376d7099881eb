import type { Pod } from '../../shared/api/core.ts';
import type { EpochMs } from '../../shared/api/time.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { ControlStore } from '../../shared/ports/control-store.ts';
import type { EventRecorder } from '../../shared/ports/event-recorder.ts';
import type { TaintEvictionMessage } from '../../shared/ports/messages.ts';
import type { LiveRow, ObjectLog } from '../../shared/ports/object-log.ts';
import type { WorkQueues } from '../../shared/ports/work-queue.ts';
import { inParallel } from '../../shared/state/in-parallel.ts';
import type { ObjectWriter } from '../../shared/state/object-writer.ts';
import { waitUntil } from '../../shared/state/wait-until.ts';
import { isNear, nextDue, sendWakeUp } from './deadlines.ts';
import type { PodOutcome, TaintedNode } from './evict-pod.ts';
import { settlePod } from './evict-pod.ts';

/** Pods of one node looked at at the same time. */
const CONCURRENCY = 16;

export interface TaintEvictionDeps {
  readonly clock: Clock;
  readonly log: Pick<ObjectLog, 'read' | 'podsByNode'>;
  readonly control: ControlStore;
  readonly queues: WorkQueues;
  readonly writer: ObjectWriter;
  readonly recorder: EventRecorder;
}

/** One outcome per pod looked at, for the figures. */
export type TaintEvictionReport = readonly PodOutcome[];

type Tried = PodOutcome | { readonly outcome: 'failed'; readonly error: unknown };
type Message<K> = Extract<TaintEvictionMessage, { kind: K }>;

const readNode = async ({ log }: TaintEvictionDeps, name: string): Promise<TaintedNode> => {
  const row = await log.read({ resource: 'nodes', namespace: '', name });
  if (row?.state !== 'live') return { name, exists: false, noExecute: [] };
  return { noExecute: [], ...row.facts.node, name, exists: true };
};

const tryPods = (
  deps: TaintEvictionDeps,
  pods: readonly LiveRow[],
  node: TaintedNode,
): Promise<readonly Tried[]> =>
  inParallel(pods, CONCURRENCY, (pod) =>
    settlePod(deps, pod, node).catch((error: unknown): Tried => ({ outcome: 'failed', error })),
  );

const overNode = async (deps: TaintEvictionDeps, { name }: Message<'node'>): Promise<readonly Tried[]> => {
  const node = await readNode(deps, name);
  const { value: pods } = await deps.log.podsByNode(name);
  return tryPods(deps, pods, node);
};

/** A pod that is gone, terminating or not bound owes nothing: what is stored for it goes. */
const overPod = async (
  deps: TaintEvictionDeps,
  { namespace, name, uid }: Message<'pod'>,
): Promise<readonly Tried[]> => {
  const row = await deps.log.read({ resource: 'pods', namespace, name });
  const pod = row?.state === 'live' && row.uid === uid ? row : undefined;
  const nodeName = (pod?.object as Pod | undefined)?.spec.nodeName ?? '';
  if (!pod || nodeName === '' || pod.object.metadata.deletionTimestamp !== undefined) {
    await deps.control.deleteDeadline(namespace, name, uid);
    return [];
  }
  return tryPods(deps, [pod], await readNode(deps, nodeName));
};

/** Looks once; a deadline less than two seconds ahead is waited for here, as queues count whole seconds. */
const untilDue = async (
  { clock }: TaintEvictionDeps,
  look: () => Promise<readonly Tried[]>,
): Promise<readonly Tried[]> => {
  const seen = await look();
  const dueAt: EpochMs | undefined = nextDue(seen)?.fireAt;
  if (dueAt === undefined || !isNear(dueAt, clock.now())) return seen;
  await waitUntil(clock, dueAt);
  return [...seen.filter(({ outcome }) => outcome !== 'waiting'), ...(await look())];
};

const run = async (
  deps: TaintEvictionDeps,
  message: TaintEvictionMessage,
  look: () => Promise<readonly Tried[]>,
): Promise<TaintEvictionReport> => {
  const outcomes = await untilDue(deps, look);
  await sendWakeUp(deps, message, outcomes);
  const failed = outcomes.find((tried) => tried.outcome === 'failed');
  if (failed) throw failed.error; // After all others were tried: the message comes again.
  return outcomes.filter((tried) => tried.outcome !== 'failed');
};

/** Evicts the pods of a node that are due, stores the deadlines of the others, and clears those that no longer hold. */
export const reconcileNode = (
  deps: TaintEvictionDeps,
  message: Message<'node'>,
): Promise<TaintEvictionReport> => run(deps, message, () => overNode(deps, message));

/** The same for one pod: newly bound, or with other tolerations. */
export const reconcilePod = (
  deps: TaintEvictionDeps,
  message: Message<'pod'>,
): Promise<TaintEvictionReport> => run(deps, message, () => overPod(deps, message));

/** What a queued message asks for. Throws when a pod cannot be written. */
export const reconcile = (
  deps: TaintEvictionDeps,
  message: TaintEvictionMessage,
): Promise<TaintEvictionReport> =>
  message.kind === 'node' ? reconcileNode(deps, message) : reconcilePod(deps, message);
