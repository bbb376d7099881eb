/** The pods that wait for a node: those to be tried, those that rest, and those that no change has helped yet. */
import type { Pod } from '../../shared/api/core.ts';
import type { EpochMs } from '../../shared/api/time.ts';
import { parseTime } from '../../shared/api/time.ts';
import { isResting, refusedUntil, restsUntil } from '../../shared/domain/scheduling/backoff.ts';
import { couldHelp, type Refused } from '../../shared/domain/scheduling/could-help.ts';
import type { Nomination } from '../../shared/domain/scheduling/feasible-nodes.ts';
import { nominatedNodeOf } from '../../shared/domain/scheduling/feasible-nodes.ts';
import type { ObjectChange } from '../../shared/domain/scheduling/object-change.ts';
import type { NamespaceLabels } from '../../shared/domain/scheduling/placement.ts';
import { priorityOf } from '../../shared/domain/scheduling/pod-importance.ts';

/** A pod that waits. */
export interface WaitingPod {
  pod: Pod;
  /** When the pod was created (ms), which decides among pods of one priority. */
  readonly createdAt: EpochMs;
  /** Attempts that found no node. */
  attempts: number;
  /** Binds in a row that were refused. */
  refusals: number;
  /** Until then (ms) the pod rests. */
  restsUntil: EpochMs;
  /** Whether a node was found and the bind is under way. */
  isPlaced: boolean;
  /** The group of pods that were refused for the same reasons; absent while the pod is to be tried. */
  group?: string;
}

/** Pods that are alike and were refused by the same plugins: what helps one of them helps all. */
interface Group {
  readonly refused: Refused;
  readonly uids: Set<string>;
}

/** How many pods are in which state. The names are those of Kubernetes' metric `pending_pods`. */
export interface WaitingCounts {
  readonly active: number;
  readonly backoff: number;
  readonly unschedulable: number;
}

/** All that an attempt reads of a pod, as text. Pods of one template have equal texts. */
export const signatureOf = ({ metadata, spec, status }: Pod): string =>
  JSON.stringify([
    metadata.namespace,
    metadata.labels,
    metadata.ownerReferences?.map(({ kind, name }) => [kind, name]),
    spec,
    status?.['nominatedNodeName'],
  ]);

const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';

const createdAt = ({ metadata }: Pod): EpochMs => parseTime(metadata.creationTimestamp ?? '') ?? 0;

/** The higher priority comes first, among equals the older pod. Source: kubernetes v1.34 plugin `queuesort`. */
const byTurn = (a: WaitingPod, b: WaitingPod): number =>
  priorityOf(b.pod) - priorityOf(a.pod) || a.createdAt - b.createdAt;

const nominationsIn = (nominated: ReadonlySet<WaitingPod>): readonly Nomination[] =>
  [...nominated]
    .filter(({ isPlaced }) => !isPlaced)
    .map(({ pod }) => ({ pod, nodeName: nominatedNodeOf(pod) }));

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
  all(): readonly Pod[];
  /** The pods that wait for a node on which they have preempted others. */
  nominations(): readonly Nomination[];
  /** The pods to be tried at `now`, in their order. */
  due(now: EpochMs): readonly WaitingPod[];
  /** A node was found: the pod is not tried again, unless `refuse` or `retry` says so. */
  place(waiting: WaitingPod): void;
  /** No node takes the pod. It waits until a change could help it. */
  refuse(waiting: WaitingPod, plugins: ReadonlySet<string>, now: EpochMs): void;
  /** The pod has to be tried again soon: its bind was refused, or its attempt failed. */
  retry(waiting: WaitingPod, now: EpochMs): void;
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

/** The groups of pods that no change has helped yet. */
const createGroups = () => {
  const groups = new Map<string, Group>();
  return {
    all: (): readonly (readonly [string, Group])[] => [...groups],
    add: (pod: Pod, plugins: ReadonlySet<string>): string => {
      const key = JSON.stringify([[...plugins].toSorted(), signatureOf(pod)]);
      const group = groups.get(key) ?? { refused: { pod, plugins }, uids: new Set() };
      group.uids.add(uidOf(pod));
      groups.set(key, group);
      return key;
    },
    leave: (key: string, uid: string): void => {
      const group = groups.get(key);
      group?.uids.delete(uid);
      if (group?.uids.size === 0) groups.delete(key);
    },
  };
};

const isDue = ({ group, isPlaced, restsUntil: until }: WaitingPod, now: EpochMs): boolean =>
  group === undefined && !isPlaced && !isResting(until, now);

const earliestOf = (resting: readonly WaitingPod[]): EpochMs | undefined =>
  resting.length === 0
    ? undefined
    : resting.reduce((first, { restsUntil: until }) => Math.min(first, until), Number.POSITIVE_INFINITY);

const countsOf = (all: readonly WaitingPod[], now: EpochMs): WaitingCounts => {
  const active = all.filter((waiting) => isDue(waiting, now)).length;
  const unschedulable = all.filter(({ group }) => group !== undefined).length;
  return { active, unschedulable, backoff: all.length - active - unschedulable };
};

/** Creates the list of waiting pods, without any. */
export const createWaitingPods = (): WaitingPods => {
  const pods = new Map<string, WaitingPod>();
  const groups = createGroups();
  /** Few of the pods have a nomination, and each attempt asks for these. */
  const nominated = new Set<WaitingPod>();

  const wakeOne = (uid: string): void => {
    const waiting = pods.get(uid);
    if (waiting?.group === undefined) return;
    groups.leave(waiting.group, uid);
    delete waiting.group;
  };
  const resting = (now: EpochMs): readonly WaitingPod[] =>
    [...pods.values()].filter(({ group, restsUntil: until }) => group === undefined && isResting(until, now));

  return {
    put: (pod) => {
      const waiting = pods.get(uidOf(pod)) ?? newlyWaiting(pod);
      waiting.pod = pod;
      pods.set(uidOf(pod), waiting);
      if (nominatedNodeOf(pod) === '') nominated.delete(waiting);
      else nominated.add(waiting);
    },
    remove: (uid) => {
      wakeOne(uid);
      const waiting = pods.get(uid);
      if (waiting) nominated.delete(waiting);
      pods.delete(uid);
    },
    get: (uid) => pods.get(uid),
    all: () => [...pods.values()].map(({ pod }) => pod),
    nominations: () => nominationsIn(nominated),
    due: (now) => [...pods.values()].filter((waiting) => isDue(waiting, now)).toSorted(byTurn),
    place: (waiting) => {
      waiting.isPlaced = true;
    },
    refuse: (waiting, plugins, now) => {
      waiting.isPlaced = false;
      waiting.attempts += 1;
      waiting.refusals = 0;
      waiting.restsUntil = restsUntil(waiting.attempts, now);
      waiting.group = groups.add(waiting.pod, plugins);
    },
    retry: (waiting, now) => {
      waiting.isPlaced = false;
      wakeOne(uidOf(waiting.pod));
      waiting.refusals += 1;
      waiting.restsUntil = refusedUntil(waiting.refusals, now);
    },
    wake: (change, namespaces) => {
      for (const [, { refused, uids }] of groups.all())
        if (couldHelp(change, refused, namespaces)) for (const uid of [...uids]) wakeOne(uid);
    },
    wakePod: wakeOne,
    wakeAll: () => {
      for (const uid of pods.keys()) wakeOne(uid);
    },
    nextAt: (now) => earliestOf(resting(now)),
    counts: (now) => countsOf([...pods.values()], now),
  };
};
