/** The pods that wait for a node: those to be tried, those that rest, and those that no change has helped yet. */
import type { Pod } from '../../../shared/kube/types/core.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { parseTime } from '../../../shared/kube/values/time.ts';
import { refusedUntil, restsUntil } from '../../../shared/rules/scheduling/backoff.ts';
import { couldHelp } from '../../../shared/rules/scheduling/could-help.ts';
import type { Nomination } from '../../../shared/rules/scheduling/feasible-nodes.ts';
import { nominatedNodeOf } from '../../../shared/rules/scheduling/feasible-nodes.ts';
import type { ObjectChange } from '../../../shared/rules/scheduling/object-change.ts';
import type { NamespaceLabels } from '../../../shared/rules/scheduling/pods/placement.ts';
import { createLanes } from './lanes.ts';
import type { Held, WaitingPod } from './waiting-pod.ts';

/** How many pods are in which state. The names are those of Kubernetes' metric `pending_pods`. */
export interface WaitingCounts {
  readonly active: number;
  readonly backoff: number;
  readonly unschedulable: number;
}

const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';

const createdAt = ({ metadata }: Pod): EpochMs => parseTime(metadata.creationTimestamp ?? '') ?? 0;

/** The pods with a nomination: they are few, and each attempt asks for them. */
const createNominated = () => {
  const nominated = new Set<WaitingPod>();
  return {
    put: (waiting: WaitingPod): void => {
      if (nominatedNodeOf(waiting.pod) === '') nominated.delete(waiting);
      else nominated.add(waiting);
    },
    remove: (waiting: WaitingPod): void => void nominated.delete(waiting),
    all: (): readonly Nomination[] =>
      [...nominated]
        .filter(({ isPlaced }) => !isPlaced)
        .map(({ pod }) => ({ pod, nodeName: nominatedNodeOf(pod) })),
  };
};

/** No node takes the pod. */
const noteAttempt = (waiting: WaitingPod, now: EpochMs): void => {
  waiting.isPlaced = false;
  waiting.attempts += 1;
  delete waiting.bindingUntil;
  waiting.refusals = 0;
  waiting.restsUntil = restsUntil(waiting.attempts, now);
};

/** The bind was refused, or the attempt failed. */
const noteRefusal = (waiting: WaitingPod, now: EpochMs): void => {
  waiting.isPlaced = false;
  waiting.refusals += 1;
  waiting.restsUntil = refusedUntil(waiting.refusals, now);
};

const newlyWaiting = (pod: Pod): WaitingPod => ({
  pod,
  createdAt: createdAt(pod),
  attempts: 0,
  refusals: 0,
  restsUntil: 0,
  isPlaced: false,
});

/** The pods that wait, in memory: after a cold start each is tried once, as by a kube-scheduler that was started again. */
export interface WaitingPods {
  /** Adds a pod, or takes over how it is now. */
  put(pod: Pod): void;
  remove(uid: string): void;
  get(uid: string): WaitingPod | undefined;
  /** The pods that wait for a node on which they have preempted others. */
  nominations(): readonly Nomination[];
  /** The first pods to be tried at `now`, in their order, at most `limit`. */
  due(now: EpochMs, limit: number): readonly WaitingPod[];
  /** A node was found: the pod is not tried again, unless `refuse` or `retry` says so. */
  place(waiting: WaitingPod): void;
  /** No node takes the pod. It waits until a change could help it. */
  refuse(waiting: WaitingPod, plugins: ReadonlySet<string>, now: EpochMs): void;
  /** The pod has to be tried again soon: its bind was refused, or its attempt failed. */
  retry(waiting: WaitingPod, now: EpochMs): void;
  /** A node and volumes were found: the pod waits until `release` says how that ended, at most until `until` (ms). */
  hold(waiting: WaitingPod, held: Held, until: EpochMs): void;
  /** The pods that wait for their volumes. */
  held(): Iterable<WaitingPod>;
  /** Lets a pod be tried that has waited for its volumes. `failure`: why they were not bound. */
  release(waiting: WaitingPod, failure?: string): void;
  /** The last instant (ms) that `hold` has set since this was asked before; `undefined`: none. */
  takeDeadline(): EpochMs | undefined;
  /** Lets those pods be tried again that the change could help. */
  wake(change: ObjectChange, namespaces: NamespaceLabels): void;
  /** Lets this pod be tried again, because it has changed itself. */
  wakePod(uid: string): void;
  /** Lets all pods be tried again. */
  wakeAll(): void;
  /** When (ms) the first pod that rests may be tried; `undefined`: none rests. */
  nextAt(now: EpochMs): EpochMs | undefined;
  counts(now: EpochMs): WaitingCounts;
}

/** Creates the list of waiting pods, without any. A pod is in the order of those to be tried, rests, is being bound, or is in a group. */
export const createWaitingPods = (): WaitingPods => {
  const pods = new Map<string, WaitingPod>();
  const lanes = createLanes();
  const { order, groups, held } = lanes;
  const nominated = createNominated();

  const wakeOne = (uid: string): void => {
    const waiting = pods.get(uid);
    if (waiting) lanes.wake(waiting);
  };
  const add = (pod: Pod): WaitingPod => {
    const waiting = newlyWaiting(pod);
    pods.set(uidOf(pod), waiting);
    order.enter(waiting);
    return waiting;
  };
  /** What becomes of a pod that is gone meanwhile is not kept. */
  const isThere = (waiting: WaitingPod): boolean => pods.get(uidOf(waiting.pod)) === waiting;

  return {
    put: (pod) => {
      const waiting = pods.get(uidOf(pod)) ?? add(pod);
      waiting.pod = pod;
      nominated.put(waiting);
    },
    remove: (uid) => {
      const waiting = pods.get(uid);
      if (!waiting) return;
      lanes.withdraw(waiting);
      nominated.remove(waiting);
      pods.delete(uid);
    },
    get: (uid) => pods.get(uid),
    nominations: nominated.all,
    due: lanes.due,
    place: (waiting) => {
      lanes.withdraw(waiting);
      waiting.isPlaced = true;
    },
    refuse: (waiting, plugins, now) => {
      if (!isThere(waiting)) return;
      lanes.withdraw(waiting);
      noteAttempt(waiting, now);
      waiting.group = groups.add(waiting.pod, plugins);
    },
    retry: (waiting, now) => {
      if (!isThere(waiting)) return;
      lanes.withdraw(waiting);
      noteRefusal(waiting, now);
      order.enter(waiting);
    },
    hold: lanes.hold,
    held: held.all,
    release: lanes.release,
    takeDeadline: held.takeDeadline,
    wake: (change, namespaces) => {
      for (const { refused, uids } of groups.all())
        if (couldHelp(change, refused, namespaces)) for (const uid of uids) wakeOne(uid);
    },
    wakePod: wakeOne,
    wakeAll: () => {
      for (const uid of pods.keys()) wakeOne(uid);
    },
    nextAt: order.nextAt,
    counts: (now) => {
      const [active, unschedulable] = [order.due(now), groups.size()];
      return { active, unschedulable, backoff: pods.size - active - unschedulable - held.size() };
    },
  };
};
