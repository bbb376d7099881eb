import type { Clock } from '../../shared/ports/process/clock.ts';
import type { EventRecorder } from '../../shared/ports/process/event-recorder.ts';
import type { ControlStore, DeadlineWrite } from '../../shared/ports/store/control-store.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import type { DestroyingWriter } from '../../shared/store/writer/destruction.ts';
import type { KnownHolds } from '../../shared/store/writer/known-holds.ts';
import { cancellingDeletion, markingForDeletion } from './events.ts';
import {
  boundPod,
  decide,
  evictPod,
  heldUntil,
  type JudgedPod,
  type PodOutcome,
  type TaintedNode,
} from './evict-pod.ts';

/** Default of `podsAtOnce`: the number of connections of the AWS SDK. */
const CONCURRENCY = 50;
/** How long (ms) a deadline is kept after its instant if nothing deletes it. */
const DEADLINE_RETENTION_MS = 24 * 60 * 60_000;

export interface ReconcilePodsDeps {
  readonly clock: Clock;
  readonly objects: Pick<ObjectStore, 'read'>;
  readonly control: Pick<ControlStore, 'deadlines' | 'storeDeadlines' | 'deleteDeadlines'>;
  readonly writer: DestroyingWriter;
  readonly holds: KnownHolds;
  readonly recorder: EventRecorder;
  /** Pods that are read or deleted, or whose Events are recorded, at the same time; default 50. */
  readonly podsAtOnce?: number;
}

/** `failed`: the pod could not be read or written; the other pods are tried all the same. */
export type Tried = PodOutcome | { readonly outcome: 'failed'; readonly error: unknown };

/** A pod with its outcome. */
export interface ReconciledPod {
  readonly pod: LiveRow;
  readonly tried: Tried;
}

const failed = (error: unknown): Tried => ({ outcome: 'failed', error });

const targetOf = ({ key: { namespace, name }, uid }: LiveRow) =>
  ({ kind: 'Pod', namespace, name, uid }) as const;

const nameOf = ({ key: { namespace, name }, uid }: LiveRow) => ({ namespace, name, uid });

/** Whether there is nothing to write: no deadline, one that is stored already, or a hold that keeps the pod. */
const needsNoWrite = ({ decision }: JudgedPod): boolean =>
  decision.action === 'none' || decision.action === 'held' || (decision.action === 'wait' && !decision.isNew);

const outcomeOf = (decision: JudgedPod['decision']): PodOutcome => {
  if (decision.action === 'held') return heldUntil(decision.until);
  if (decision.action !== 'wait') return { outcome: 'none' };
  return { outcome: 'waiting', fireAt: decision.deadline.fireAt, isNew: false };
};

const unwritten = ({ pod, decision }: JudgedPod): ReconciledPod => ({ pod, tried: outcomeOf(decision) });

/** Decides about the pods as the index shows them, with their stored deadlines. Leaves out pods that are not on the node. */
const judgeAsSeen = async (
  { control, clock, holds }: ReconcilePodsDeps,
  seen: readonly LiveRow[],
  node: TaintedNode,
): Promise<readonly JudgedPod[]> => {
  const pods = seen.filter((pod) => boundPod(pod, pod.uid, node));
  const deadlines = await control.deadlines(pods.map(nameOf));
  return pods.map((pod, place) => {
    const stored = deadlines[place];
    return { pod, stored, decision: decide(pod, node, stored, holds.book(), clock.now()) };
  });
};

/** Decides again by a consistent read. Returns nothing for a pod that is gone or terminating. */
const judgeAgain = async (
  { objects, clock, holds }: ReconcilePodsDeps,
  { pod: seen, stored }: JudgedPod,
  node: TaintedNode,
): Promise<readonly (JudgedPod | ReconciledPod)[]> => {
  try {
    const pod = boundPod(await objects.read(seen.key), seen.uid, node);
    return pod ? [{ pod, stored, decision: decide(pod, node, stored, holds.book(), clock.now()) }] : [];
  } catch (error) {
    return [{ pod: seen, tried: failed(error) }];
  }
};

type Deciding<A> = JudgedPod & { readonly decision: Extract<JudgedPod['decision'], { action: A }> };

const isNew = ({ decision }: Deciding<'wait'>): boolean => decision.isNew;

const has =
  <A extends JudgedPod['decision']['action']>(action: A) =>
  (judged: JudgedPod): judged is Deciding<A> =>
    judged.decision.action === action;

/** The store keeps a deadline that it has, unless that is the one that was read here and no longer applies. */
const writeOf = (
  { pod, stored, decision }: Deciding<'wait'>,
  { name: nodeName }: TaintedNode,
): DeadlineWrite => {
  const { namespace, name } = pod.key;
  const deadline = { ...decision.deadline, namespace, name, nodeName };
  const expiresAt = deadline.fireAt + DEADLINE_RETENTION_MS;
  return { deadline, expiresAt, ...(stored?.uid === pod.uid ? { replaces: stored } : {}) };
};

const storeAll = async (
  { control }: ReconcilePodsDeps,
  judged: readonly Deciding<'wait'>[],
  node: TaintedNode,
): Promise<readonly ReconciledPod[]> => {
  if (judged.length === 0) return [];
  try {
    const kept = await control.storeDeadlines(judged.map((one) => writeOf(one, node)));
    return judged.map(({ pod, decision }, place): ReconciledPod => {
      const { fireAt } = kept[place] ?? decision.deadline;
      return { pod, tried: { outcome: 'waiting', fireAt, isNew: true } };
    });
  } catch (error) {
    return judged.map(({ pod }) => ({ pod, tried: failed(error) }));
  }
};

const clearAll = async (
  { control, recorder, podsAtOnce = CONCURRENCY }: ReconcilePodsDeps,
  judged: readonly Deciding<'clear'>[],
  node: TaintedNode,
): Promise<readonly ReconciledPod[]> => {
  if (judged.length === 0) return [];
  try {
    await control.deleteDeadlines(judged.map(({ pod }) => nameOf(pod)));
  } catch (error) {
    return judged.map(({ pod }) => ({ pod, tried: failed(error) }));
  }
  // No Event if the node is gone: the pods do not stay because of that. In Kubernetes, a garbage collector deletes them.
  const cancelled = node.exists ? judged : [];
  await inParallel(cancelled, podsAtOnce, ({ pod, stored }) =>
    recorder.record(targetOf(pod), cancellingDeletion(pod.key), `cancelling/${stored?.fireAt ?? 0}`),
  );
  return judged.map(({ pod }) => ({ pod, tried: { outcome: 'cleared' } }));
};

/**
 * Records the Events of evicted pods and deletes their deadlines. Call it after all deletions, so that no deletion is late
 * because of another pod's Event. Returns the pods whose deadlines could not be deleted: a sweep finds those later. Never throws.
 */
export const finishEvictions = async (
  { control, recorder, podsAtOnce = CONCURRENCY }: ReconcilePodsDeps,
  evicted: readonly JudgedPod[],
): Promise<readonly ReconciledPod[]> => {
  if (evicted.length === 0) return [];
  await inParallel(evicted, podsAtOnce, ({ pod }) =>
    recorder.record(targetOf(pod), markingForDeletion(pod.key), 'marking'),
  );
  const withDeadline = evicted.filter(({ stored }) => stored !== undefined).map(({ pod }) => pod);
  try {
    await control.deleteDeadlines(withDeadline.map(nameOf));
    return [];
  } catch (error) {
    return withDeadline.map((pod) => ({ pod, tried: failed(error) }));
  }
};

const evictAll = async (
  deps: ReconcilePodsDeps,
  judged: readonly JudgedPod[],
  node: TaintedNode,
): Promise<readonly (JudgedPod & ReconciledPod)[]> =>
  inParallel(judged, deps.podsAtOnce ?? CONCURRENCY, async (one) => ({
    ...one,
    tried: await evictPod(deps, one, node).catch(failed),
  }));

/** The result of one part of a run. */
export interface ReconciledPods {
  /** The outcomes of all its pods. */
  readonly settled: readonly ReconciledPod[];
  /** Pods that were deleted; give them to `finishEvictions`. */
  readonly evicted: readonly JudgedPod[];
}

const outcomeIs =
  (outcome: Tried['outcome']) =>
  ({ tried }: ReconciledPod): boolean =>
    tried.outcome === outcome;

/** Decides again by consistent reads, then stores new deadlines and deletes those that no longer apply. */
const writeDeadlines = async (
  deps: ReconcilePodsDeps,
  changed: readonly JudgedPod[],
  node: TaintedNode,
): Promise<readonly ReconciledPod[]> => {
  const again = (
    await inParallel(changed, deps.podsAtOnce ?? CONCURRENCY, (one) => judgeAgain(deps, one, node))
  ).flat();
  const fresh = again.filter((one) => 'decision' in one);
  return [
    ...again.filter((one) => 'tried' in one),
    ...(await storeAll(deps, fresh.filter(has('wait')).filter(isNew), node)),
    ...(await clearAll(deps, fresh.filter(has('clear')), node)),
    ...fresh.filter((one) => needsNoWrite(one) || one.decision.action === 'evict').map(unwritten),
  ];
};

/**
 * Decides about pods of one node as the index shows them, deletes those that are due, and stores or deletes deadlines. Before it
 * changes anything for a pod it decides again by a consistent read; for a deletion, the write itself does that. It ignores
 * terminating pods. Throws only if deadlines cannot be read.
 */
export const reconcilePods = async (
  deps: ReconcilePodsDeps,
  seen: readonly LiveRow[],
  node: TaintedNode,
): Promise<ReconciledPods> => {
  const judged = await judgeAsSeen(deps, seen, node);
  const tried = await evictAll(deps, judged.filter(has('evict')), node);
  // These pods are not as the index showed them: they are decided about again, like the pods whose deadlines change.
  const outdated = tried.filter(outcomeIs('none'));
  const changed = judged.filter((one) => !needsNoWrite(one) && !has('evict')(one));
  const settled = [
    ...judged.filter(needsNoWrite).map(unwritten),
    ...tried.filter((one) => !outcomeIs('none')(one)).map(({ pod, tried }) => ({ pod, tried })),
    ...(await writeDeadlines(deps, [...changed, ...outdated], node)),
  ];
  return { settled, evicted: tried.filter(outcomeIs('evicted')) };
};
