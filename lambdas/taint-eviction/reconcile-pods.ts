import type { PodEvictionDecision } from '../../shared/domain/pods/taint-eviction.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { ControlStore, DeadlineWrite } from '../../shared/ports/control-store.ts';
import type { EventRecorder } from '../../shared/ports/event-recorder.ts';
import type { ObjectStore } from '../../shared/ports/object-store.ts';
import type { LiveRow } from '../../shared/ports/rows.ts';
import { inParallel } from '../../shared/state/in-parallel.ts';
import type { ObjectWriter } from '../../shared/state/object-writer.ts';
import { cancellingDeletion, markingForDeletion } from './events.ts';
import {
  boundPod,
  decide,
  evictPod,
  type JudgedPod,
  type PodOutcome,
  type TaintedNode,
} from './evict-pod.ts';

/** Pods read, deleted or told about at the same time where the caller says nothing else: as many as the SDK has connections. */
const CONCURRENCY = 50;
/** Milliseconds for which a deadline outlives its instant, in case it is forgotten. */
const DEADLINE_RETENTION_MS = 24 * 60 * 60_000;

export interface ReconcilePodsDeps {
  readonly clock: Clock;
  readonly objects: Pick<ObjectStore, 'read'>;
  readonly control: Pick<ControlStore, 'deadlines' | 'storeDeadlines' | 'deleteDeadlines'>;
  readonly writer: ObjectWriter;
  readonly recorder: EventRecorder;
  /** Pods read, deleted or told about at the same time; default 50. */
  readonly podsAtOnce?: number;
}

export type Tried = PodOutcome | { readonly outcome: 'failed'; readonly error: unknown };

export interface SettledPod {
  readonly pod: LiveRow;
  readonly tried: Tried;
}

const failed = (error: unknown): Tried => ({ outcome: 'failed', error });

const targetOf = ({ key: { namespace, name }, uid }: LiveRow) =>
  ({ kind: 'Pod', namespace, name, uid }) as const;

const nameOf = ({ key: { namespace, name }, uid }: LiveRow) => ({ namespace, name, uid });

const isQuiet = ({ decision }: JudgedPod): boolean =>
  decision.action === 'none' || (decision.action === 'wait' && !decision.isNew);

const quietly = ({ pod, decision }: JudgedPod): SettledPod => ({
  pod,
  tried:
    decision.action === 'wait'
      ? { outcome: 'waiting', fireAt: decision.deadline.fireAt, isNew: false }
      : { outcome: 'none' },
});

/** The pods of the node among those that an index shows, with their stored deadlines. */
const judgeAsSeen = async (
  { control, clock }: ReconcilePodsDeps,
  seen: readonly LiveRow[],
  node: TaintedNode,
): Promise<readonly JudgedPod[]> => {
  const pods = seen.filter((pod) => boundPod(pod, pod.uid, node));
  const deadlines = await control.deadlines(pods.map(nameOf));
  return pods.map((pod, place) => {
    const stored = deadlines[place];
    return { pod, stored, decision: decide(pod, node, stored, clock.now()) };
  });
};

/** The same by a consistent read; nothing for a pod that is gone or leaving. */
const judgeAgain = async (
  { objects, clock }: ReconcilePodsDeps,
  { pod: seen, stored }: JudgedPod,
  node: TaintedNode,
): Promise<readonly (JudgedPod | SettledPod)[]> => {
  try {
    const pod = boundPod(await objects.read(seen.key), seen.uid, node);
    return pod ? [{ pod, stored, decision: decide(pod, node, stored, clock.now()) }] : [];
  } catch (error) {
    return [{ pod: seen, tried: failed(error) }];
  }
};

type Deciding<A> = JudgedPod & { readonly decision: Extract<PodEvictionDecision, { action: A }> };

const isNew = ({ decision }: Deciding<'wait'>): boolean => decision.isNew;

const has =
  <A extends PodEvictionDecision['action']>(action: A) =>
  (judged: JudgedPod): judged is Deciding<A> =>
    judged.decision.action === action;

/** The first deadline stands, unless it is the one that was read and no longer holds. */
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
): Promise<readonly SettledPod[]> => {
  if (judged.length === 0) return [];
  try {
    const standing = await control.storeDeadlines(judged.map((one) => writeOf(one, node)));
    return judged.map(({ pod, decision }, place): SettledPod => {
      const { fireAt } = standing[place] ?? decision.deadline;
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
): Promise<readonly SettledPod[]> => {
  if (judged.length === 0) return [];
  try {
    await control.deleteDeadlines(judged.map(({ pod }) => nameOf(pod)));
  } catch (error) {
    return judged.map(({ pod }) => ({ pod, tried: failed(error) }));
  }
  // The pods of a node that is gone are deleted all the same, by the garbage collector.
  const told = node.exists ? judged : [];
  await inParallel(told, podsAtOnce, ({ pod, stored }) =>
    recorder.record(targetOf(pod), cancellingDeletion(pod.key), `cancelling/${stored?.fireAt ?? 0}`),
  );
  return judged.map(({ pod }) => ({ pod, tried: { outcome: 'cleared' } }));
};

/**
 * What follows deletions, when all of them are written: none is late because of the events of another one. The events
 * cannot fail, and of deadlines that stay a sweep finds the pod terminating. Returns the pods whose deadline could not go.
 */
export const finishEvictions = async (
  { control, recorder, podsAtOnce = CONCURRENCY }: ReconcilePodsDeps,
  evicted: readonly JudgedPod[],
): Promise<readonly SettledPod[]> => {
  if (evicted.length === 0) return [];
  await inParallel(evicted, podsAtOnce, ({ pod }) =>
    recorder.record(targetOf(pod), markingForDeletion(pod.key), 'marking'),
  );
  const owing = evicted.filter(({ stored }) => stored !== undefined).map(({ pod }) => pod);
  try {
    await control.deleteDeadlines(owing.map(nameOf));
    return [];
  } catch (error) {
    return owing.map((pod) => ({ pod, tried: failed(error) }));
  }
};

const evictAll = async (
  deps: ReconcilePodsDeps,
  judged: readonly JudgedPod[],
  node: TaintedNode,
): Promise<readonly (JudgedPod & SettledPod)[]> =>
  inParallel(judged, deps.podsAtOnce ?? CONCURRENCY, async (one) => ({
    ...one,
    tried: await evictPod(deps, one, node).catch(failed),
  }));

export interface SettledPods {
  readonly settled: readonly SettledPod[];
  /** For `finishEvictions`. */
  readonly evicted: readonly JudgedPod[];
}

const outcomeIs =
  (outcome: Tried['outcome']) =>
  ({ tried }: SettledPod): boolean =>
    tried.outcome === outcome;

/** Pods whose decision a consistent read confirms: their deadlines are stored or cleared. */
const writeDeadlines = async (
  deps: ReconcilePodsDeps,
  loud: readonly JudgedPod[],
  node: TaintedNode,
): Promise<readonly SettledPod[]> => {
  const again = (
    await inParallel(loud, deps.podsAtOnce ?? CONCURRENCY, (one) => judgeAgain(deps, one, node))
  ).flat();
  const fresh = again.filter((one) => 'decision' in one);
  return [
    ...again.filter((one) => 'tried' in one),
    ...(await storeAll(deps, fresh.filter(has('wait')).filter(isNew), node)),
    ...(await clearAll(deps, fresh.filter(has('clear')), node)),
    ...fresh.filter((one) => isQuiet(one) || one.decision.action === 'evict').map(quietly),
  ];
};

/**
 * Decides about pods of one node as an index shows them and, where something is to be done, once more by a consistent read:
 * an eviction's own write reads. Deadlines are read, stored and deleted together. A terminating pod is left alone.
 */
export const reconcilePods = async (
  deps: ReconcilePodsDeps,
  seen: readonly LiveRow[],
  node: TaintedNode,
): Promise<SettledPods> => {
  const judged = await judgeAsSeen(deps, seen, node);
  const tried = await evictAll(deps, judged.filter(has('evict')), node);
  // The pod is not as the index showed it: what it asks for now is found like that of the others.
  const mistaken = tried.filter(outcomeIs('none'));
  const loud = judged.filter((one) => !isQuiet(one) && !has('evict')(one));
  const settled = [
    ...judged.filter(isQuiet).map(quietly),
    ...tried.filter((one) => !outcomeIs('none')(one)).map(({ pod, tried }) => ({ pod, tried })),
    ...(await writeDeadlines(deps, [...loud, ...mistaken], node)),
  ];
  return { settled, evicted: tried.filter(outcomeIs('evicted')) };
};
