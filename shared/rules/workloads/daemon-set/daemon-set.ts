/** What a DaemonSet does with its pods. Source: kubernetes v1.34 pkg/controller/daemon `podsShouldBeOnNode`. */
import type { Pod } from '../../../kube/types/core.ts';
import type { Workload } from '../../../kube/types/workloads.ts';
import { type BackOffDelays, backOff } from '../../../kube/values/back-off.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import { isFinished } from '../../pods/deletion.ts';
import { isPodReady } from '../../pods/pod-conditions.ts';
import { isAvailable } from '../children/pod-state.ts';
import { minReadySecondsOf } from '../replica-set/replica-set-status.ts';
import type { NodeVerdict } from './daemon-node.ts';
import { failuresBefore } from './daemon-place.ts';
import { hashOfPod, type NewDaemon } from './daemon-pod.ts';
import { surgeOf } from './daemon-strategy.ts';
import { createdAt, isLeaving, oldestFirst } from './pods-of-node.ts';

/** What a DaemonSet decides from. */
export interface DaemonView {
  readonly owner: Workload;
  /** What it wants on each node that is there. */
  readonly verdicts: ReadonlyMap<string, NodeVerdict>;
  /** Its pods by the node where they run or are to run, see `podsByNode`. */
  readonly pods: ReadonlyMap<string, readonly Pod[]>;
  /** Hash of the present revision. */
  readonly hash: string;
}

/** What is to be done. */
export interface DaemonActions {
  readonly create: readonly NewDaemon[];
  readonly delete: readonly Pod[];
  /** When a failed pod may be deleted (ms) that is not among them. */
  readonly waits: readonly EpochMs[];
}

/** Nothing. */
export const NO_ACTIONS: DaemonActions = { create: [], delete: [], waits: [] };

const REPLACE: BackOffDelays = { firstMs: 1_000, mostMs: 15 * 60_000 };
/** A pod that was there for this much longer (ms) than it had to wait has not failed at once: the count begins anew. */
const GRACE_MS = 10_000;

const isFailed = ({ status }: Pod): boolean => status?.phase === 'Failed';

/** The pods of a surging DaemonSet that are too many: of two one may go, if it is ready no more or its successor is available. */
const surplusOfSurge = (
  { owner, hash }: DaemonView,
  running: readonly Pod[],
  now: EpochMs,
): readonly Pod[] => {
  const sorted = oldestFirst(running);
  const fresh = sorted.find((pod) => hashOfPod(pod) === hash);
  const old = sorted.find((pod) => hashOfPod(pod) !== hash);
  const others = sorted.filter((pod) => pod !== fresh && pod !== old);
  if (!fresh || !old) return others;
  const mayGo = !isPodReady(old) || isAvailable(fresh, minReadySecondsOf(owner), now);
  return mayGo ? [...others, old] : others;
};

const waitMs = (pod: Pod): number => backOff(REPLACE, failuresBefore(pod));

/**
 * When the failed pod may be deleted (ms): 1 s after it was created, doubled by each failure before it, at most 15 min (W-113).
 * Kubernetes keeps this back-off in memory; here it follows from the pods.
 */
export const replaceableAt = (pod: Pod): EpochMs => createdAt(pod) + waitMs(pod);

/** The failures in a row that the pod after this failed one has before it, when it is made at `now` (ms) (W-113). */
export const failuresAfter = (pod: Pod, now: EpochMs): number =>
  now < createdAt(pod) + 2 * waitMs(pod) + GRACE_MS ? failuresBefore(pod) + 1 : 0;

/** A node where pods may stay: those that have ended are replaced, and of several that run the oldest stays (W-113, W-114). */
const kept = (
  view: DaemonView,
  node: string,
  pods: readonly Pod[],
  { shouldRun }: NodeVerdict,
  now: EpochMs,
): DaemonActions => {
  const present = pods.filter((pod) => !isLeaving(pod));
  const ended = present.filter(isFinished);
  const running = present.filter((pod) => !isFinished(pod));
  const waits = ended.filter((pod) => isFailed(pod) && replaceableAt(pod) > now);
  const gone = ended.filter((pod) => !waits.includes(pod));
  const isEmptied = gone.length === pods.length;
  const surges = surgeOf(view.owner, 1) > 0;
  const failures = gone.filter(isFailed).reduce((most, pod) => Math.max(most, failuresAfter(pod, now)), 0);
  const needsPod = shouldRun && (isEmptied || (surges && running.length === 0 && waits.length === 0));
  const surplus = surges ? surplusOfSurge(view, running, now) : oldestFirst(running).slice(1);
  return {
    create: needsPod ? [{ node, failures }] : [],
    delete: [...gone, ...surplus],
    waits: waits.map(replaceableAt),
  };
};

const onNode = (view: DaemonView, node: string, verdict: NodeVerdict, now: EpochMs): DaemonActions => {
  const pods = view.pods.get(node);
  if (!pods) return verdict.shouldRun ? { ...NO_ACTIONS, create: [{ node, failures: 0 }] } : NO_ACTIONS;
  if (!verdict.shouldContinue) return { ...NO_ACTIONS, delete: pods.filter((pod) => !isLeaving(pod)) };
  return kept(view, node, pods, verdict, now);
};

/** Pods that wait for a node that is gone: nobody else would delete them (W-115). */
const stranded = ({ verdicts, pods }: DaemonView): readonly Pod[] =>
  [...pods].flatMap(([node, there]) =>
    verdicts.has(node) ? [] : there.filter((pod) => !pod.spec.nodeName && !isLeaving(pod)),
  );

/** Makes and deletes pods until each node has what the DaemonSet wants there, at `now` (ms) (W-111 to W-115). */
export const manageDaemons = (view: DaemonView, now: EpochMs): DaemonActions => {
  const all = [...view.verdicts].map(([node, verdict]) => onNode(view, node, verdict, now));
  return {
    create: all.flatMap(({ create }) => create),
    delete: [...all.flatMap((one) => one.delete), ...stranded(view)],
    waits: all.flatMap(({ waits }) => waits),
  };
};
