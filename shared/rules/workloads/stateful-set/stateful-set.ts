/** What a StatefulSet does with its pods and claims. Source: kubernetes v1.34 pkg/controller/statefulset `updateStatefulSet`. */

import type { Pod } from '../../../kube/types/core.ts';
import type { PersistentVolumeClaim } from '../../../kube/types/storage.ts';
import type { Workload } from '../../../kube/types/workloads.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import { isFinished } from '../../pods/deletion.ts';
import { isAvailable } from '../children/pod-state.ts';
import { minReadySecondsOf } from '../replica-set/replica-set-status.ts';
import { claimsFor, hasOtherController, isStale, withRetention } from './stateful-set-claims.ts';
import {
  isWanted,
  memberPod,
  ordinalOf,
  podNameOf,
  revisionFor,
  revisionOf,
  type SetRevision,
  withIdentity,
} from './stateful-set-pods.ts';
import { isParallel, ordinalsOf, partitionOf } from './stateful-set-spec.ts';

/** What a StatefulSet decides from. */
export interface StatefulSetView {
  readonly set: Workload;
  /** The pods that it keeps or adopts. */
  readonly pods: readonly Pod[];
  /** The claims that exist, by name. */
  readonly claims: ReadonlyMap<string, PersistentVolumeClaim>;
  readonly current: SetRevision;
  readonly update: SetRevision;
}

/** One thing to do. */
export type StatefulSetStep =
  /** Create the claims, then the pod, then give the claims that are there this owner. */
  | { readonly do: 'create'; readonly pod: Pod; readonly claims: readonly PersistentVolumeClaim[] }
  | { readonly do: 'delete'; readonly pod: Pod }
  | { readonly do: 'relabel'; readonly pod: Pod; readonly ordinal: number }
  /** Create a claim that a pending pod lacks. */
  | { readonly do: 'claim'; readonly pod: Pod; readonly claim: PersistentVolumeClaim }
  /** Change the owner of a claim. */
  | {
      readonly do: 'own';
      readonly pod: Pod;
      readonly claim: PersistentVolumeClaim;
      readonly isScaledAway: boolean;
      readonly isConflict: boolean;
    }
  /** A claim is in the way of a pod; look again later. `isSilent`: it goes by itself. */
  | { readonly do: 'wait'; readonly pod: Pod; readonly message: string; readonly isSilent: boolean };

interface Member {
  readonly ordinal: number;
  /** Absent if it has to be made. */
  readonly pod: Pod | undefined;
}

/** What follows for one pod, and whether a StatefulSet that keeps order goes no further. */
interface Turn {
  readonly steps: readonly StatefulSetStep[];
  readonly stops: boolean;
}

const STOP: Turn = { steps: [], stops: true };

const isTerminating = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

const isUsable = ({ set }: StatefulSetView, pod: Pod, now: EpochMs): boolean =>
  pod.status?.phase === 'Running' && isAvailable(pod, minReadySecondsOf(set), now);

/** The claims of a pod that exist and are to get another owner (W-136, W-138). */
const ownSteps = (
  { set, claims }: StatefulSetView,
  pod: Pod,
  ordinal: number,
  isScaledAway: boolean,
): readonly StatefulSetStep[] =>
  claimsFor(set, ordinal).flatMap(({ metadata }) => {
    const claim = claims.get(metadata.name);
    if (!claim || withRetention(set, pod, claim, isScaledAway) === claim) return [];
    return [{ do: 'own', pod, claim, isScaledAway, isConflict: hasOtherController(set, pod, claim) }];
  });

/** Why the claims of a pod do not let it be made now; `undefined` if they do. */
const obstacleOf = (
  { set, claims }: StatefulSetView,
  pod: Pod,
  ordinal: number,
): StatefulSetStep | undefined => {
  for (const { metadata } of claimsFor(set, ordinal)) {
    const claim = claims.get(metadata.name);
    if (!claim) continue;
    const isSilent = isStale(set, pod, claim);
    if (isSilent || claim.metadata.deletionTimestamp !== undefined)
      return { do: 'wait', pod, message: `pvc ${metadata.name} is being deleted`, isSilent };
  }
  return undefined;
};

const missingClaims = ({ set, claims }: StatefulSetView, ordinal: number): readonly PersistentVolumeClaim[] =>
  claimsFor(set, ordinal).filter(({ metadata }) => !claims.has(metadata.name));

const create = (view: StatefulSetView, ordinal: number): Turn => {
  const pod = memberPod(view.set, revisionFor(view.set, view, ordinal), ordinal);
  const obstacle = obstacleOf(view, pod, ordinal);
  return { steps: [obstacle ?? { do: 'create', pod, claims: missingClaims(view, ordinal) }], stops: true };
};

const enforce = (view: StatefulSetView, pod: Pod, ordinal: number): readonly StatefulSetStep[] => [
  ...(withIdentity(pod, ordinal) === pod ? [] : [{ do: 'relabel', pod, ordinal } as const]),
  ...ownSteps(view, pod, ordinal, false),
];

const lacking = (view: StatefulSetView, pod: Pod, ordinal: number): readonly StatefulSetStep[] =>
  pod.status?.phase === 'Pending'
    ? missingClaims(view, ordinal).map((claim) => ({ do: 'claim', pod, claim }))
    : [];

/** What follows for a pod that is wanted (W-140 to W-143). */
const keep = (view: StatefulSetView, { ordinal, pod }: Member, now: EpochMs): Turn => {
  if (!pod) return create(view, ordinal);
  if (isFinished(pod)) return isTerminating(pod) ? STOP : { steps: [{ do: 'delete', pod }], stops: true };
  const claims = lacking(view, pod, ordinal);
  const isDone = !isTerminating(pod) && isUsable(view, pod, now);
  if (!isDone && !isParallel(view.set)) return { steps: claims, stops: true };
  return { steps: [...claims, ...enforce(view, pod, ordinal)], stops: false };
};

/** The turns one after the other, to the first that stops; all of them if the StatefulSet is parallel. */
const inOrder = <T>(set: Workload, of: readonly T[], turnOf: (one: T) => Turn): Turn => {
  const steps: StatefulSetStep[] = [];
  for (const one of of) {
    const turn = turnOf(one);
    steps.push(...turn.steps);
    if (turn.stops && !isParallel(set)) return { steps, stops: true };
  }
  return { steps, stops: false };
};

const membersOf = ({ set, pods }: StatefulSetView): readonly Member[] => {
  const byName = new Map(pods.map((pod) => [pod.metadata.name, pod]));
  const { start, end } = ordinalsOf(set);
  return Array.from({ length: Math.max(0, end - start) }, (_, n) => ({
    ordinal: start + n,
    pod: byName.get(podNameOf(set, start + n)),
  }));
};

interface Condemned {
  readonly ordinal: number;
  readonly pod: Pod;
}

/** Pods that are no longer wanted, the greatest ordinal first. */
const condemnedOf = ({ set, pods }: StatefulSetView): readonly Condemned[] =>
  pods
    .flatMap((pod) => {
      const ordinal = ordinalOf(set, pod);
      return ordinal === undefined || isWanted(set, ordinal) ? [] : [{ ordinal, pod }];
    })
    .toSorted((a, b) => b.ordinal - a.ordinal);

/** What follows for a pod that is no longer wanted (W-144). */
const remove =
  (view: StatefulSetView, firstUnusable: Pod | undefined, now: EpochMs) =>
  ({ pod }: Condemned): Turn => {
    if (isTerminating(pod)) return STOP;
    if (!isUsable(view, pod, now) && pod !== firstUnusable && !isParallel(view.set)) return STOP;
    return { steps: [{ do: 'delete', pod }], stops: true };
  };

const scaleDown = (view: StatefulSetView, members: readonly Member[], now: EpochMs): Turn => {
  const condemned = condemnedOf(view);
  const isUnusable = (pod: Pod | undefined): boolean =>
    !pod || isTerminating(pod) || !isUsable(view, pod, now);
  const isBroken = members.some(({ pod }) => isUnusable(pod));
  const first = isBroken ? undefined : condemned.findLast(({ pod }) => isUnusable(pod))?.pod;
  const owning = condemned.flatMap(({ pod, ordinal }) => ownSteps(view, pod, ordinal, true));
  const removal = inOrder(view.set, condemned, remove(view, first, now));
  return { steps: [...owning, ...removal.steps], stops: removal.stops };
};

/** The pod to replace next: the one with the greatest ordinal that is not of the update revision (W-145). */
const outdatedPod = (
  view: StatefulSetView,
  members: readonly Member[],
  isDeleted: (pod: Pod) => boolean,
  now: EpochMs,
): Pod | undefined => {
  const partition = partitionOf(view.set);
  if (partition === undefined) return undefined;
  for (const { pod } of members.slice(partition).toReversed()) {
    if (!pod || isTerminating(pod) || isDeleted(pod)) return undefined;
    if (revisionOf(pod) !== view.update.name) return pod;
    if (!isUsable(view, pod, now)) return undefined;
  }
  return undefined;
};

/** What a StatefulSet does at `now` (ms), in this order (W-139 to W-146). */
export const decideStatefulSet = (view: StatefulSetView, now: EpochMs): readonly StatefulSetStep[] => {
  if (view.set.metadata.deletionTimestamp !== undefined) return [];
  const members = membersOf(view);
  const kept = inOrder(view.set, members, (member) => keep(view, member, now));
  if (kept.stops) return kept.steps;
  const down = scaleDown(view, members, now);
  const steps = [...kept.steps, ...down.steps];
  if (down.stops) return steps;
  const isDeleted = (pod: Pod): boolean => steps.some((step) => step.do === 'delete' && step.pod === pod);
  const outdated = outdatedPod(view, members, isDeleted, now);
  return outdated ? [...steps, { do: 'delete', pod: outdated }] : steps;
};
