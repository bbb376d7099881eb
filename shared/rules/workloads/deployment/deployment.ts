/** What a Deployment does with its ReplicaSets. Source: kubernetes v1.34 pkg/controller/deployment `syncDeployment`. */
import { deepEqual } from '../../../kube/json/deep-equal.ts';
import type { Workload } from '../../../kube/types/workloads.ts';
import { optional } from '../../../kube/values/optional.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import { controllerReference } from '../children/children.ts';
import { replicasOf } from '../replica-set/replica-set.ts';
import { isRecreate, newReplicas } from './deployment-numbers.ts';
import {
  isComplete,
  rolloutStatus,
  scalingStatus,
  withPauseNote,
  withReplicaSetNote,
} from './deployment-status.ts';
import { nextRevision, revisionOf, withDesired, withNewRevision, withRevisionOf } from './revisions.ts';
import type { Rollout, ScalingEvent } from './rollout.ts';
import {
  byAge,
  isScaling,
  newSetOf,
  oldSetsOf,
  withNewSetScaled,
  withOldSetsShrunk,
  withOldSetsStopped,
  withScale,
} from './rollout.ts';
import { HASH_LABEL } from './same-template.ts';

/** The longest name of a ReplicaSet. */
const MOST_NAME = 253;
const NO_LIMIT = 2_147_483_647;
/** The uid of a ReplicaSet that is to be created. */
export const TO_CREATE = '';

/** What a Deployment decides from. */
export interface DeploymentView {
  readonly deployment: Workload;
  /** The ReplicaSets that it controls, in any order. */
  readonly sets: readonly Workload[];
  /** Whether old ReplicaSets have pods that have not ended; needed with `Recreate` only. */
  readonly hasOldPods: boolean;
  /** The ReplicaSet that has the Deployment's template, or the hash for the name of one. */
  readonly template: { readonly uid: string } | { readonly hash: string };
  /** The available pods of the ReplicaSets by uid, if they were counted. Absent: the statuses of the ReplicaSets are believed. */
  readonly available?: ReadonlyMap<string, number>;
}

/** A ReplicaSet as it was read, and as it is to be written. */
export interface SetUpdate {
  readonly before: Workload;
  readonly after: Workload;
}

/** What one run of a Deployment does. The ReplicaSet is created first; if that fails, nothing else is done. */
export interface DeploymentDecision {
  /** A ReplicaSet to create, without uid. */
  readonly create: Workload | undefined;
  readonly updates: readonly SetUpdate[];
  readonly delete: readonly Workload[];
  /** The Deployment with its new status and revision; the same object if nothing changes. */
  readonly deployment: Workload;
  readonly events: readonly ScalingEvent[];
  /** Old ReplicaSets shrink because of what statuses say, which may be old: decide again with `available` (W-79). */
  readonly isCountNeeded: boolean;
}

const bornSet = (deployment: Workload, hash: string): Workload => {
  const { metadata, spec } = deployment;
  const label = { [HASH_LABEL]: hash };
  const labels = { ...spec?.template?.metadata?.labels, ...label };
  const { selector, template } = spec ?? {};
  const seconds = spec?.['minReadySeconds'];
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${metadata.name.slice(0, MOST_NAME - 1 - hash.length)}-${hash}`,
      namespace: metadata.namespace ?? '',
      uid: TO_CREATE,
      labels,
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas: 0,
      ...optional('minReadySeconds', seconds),
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, ...label } },
      template: { ...template, metadata: { ...template?.metadata, labels } },
    },
  };
};

const minReadyOf = (object: Workload): number => Number(object.spec?.['minReadySeconds'] ?? 0);

const withMinReady = (deployment: Workload, set: Workload): Workload => {
  if (minReadyOf(set) === minReadyOf(deployment)) return set;
  return { ...set, spec: { ...set.spec, minReadySeconds: minReadyOf(deployment) } };
};

/** Gives the ReplicaSet that has the template the next revision (W-66). */
const withFoundSet = (rollout: Rollout, found: Workload, now: EpochMs): Rollout => {
  const { deployment, sets } = rollout;
  const revision = nextRevision(oldSetsOf(rollout));
  const next = withMinReady(deployment, withNewRevision(deployment, found, revision));
  return {
    ...rollout,
    sets: sets.map((set) => (set === found ? next : set)),
    deployment: withReplicaSetNote(withRevisionOf(deployment, next), 'found', found.metadata.name, now),
  };
};

/** Adds a ReplicaSet for the template (W-59). */
const withCreatedSet = (rollout: Rollout, hash: string, now: EpochMs): Rollout => {
  const { deployment, sets, events } = rollout;
  const born = bornSet(deployment, hash);
  const size = newReplicas(deployment, [...sets, born], 0);
  const noted = withDesired(deployment, withNewRevision(deployment, born, nextRevision(sets)));
  const set = { ...noted, spec: { ...noted.spec, replicas: size } };
  const { name } = set.metadata;
  const event = { set: TO_CREATE, message: `Scaled up replica set ${name} from 0 to ${size}` };
  return {
    ...rollout,
    deployment: withReplicaSetNote(withRevisionOf(deployment, set), 'created', name, now),
    sets: [...sets, set],
    newUid: TO_CREATE,
    events: size > 0 ? [...events, event] : events,
  };
};

/** The rollout with its new ReplicaSet: found, or created if `mayCreate`. */
const withNewSet = (
  rollout: Rollout,
  { template }: DeploymentView,
  mayCreate: boolean,
  now: EpochMs,
): Rollout => {
  const found = newSetOf(rollout);
  if (found) return withFoundSet(rollout, found, now);
  return mayCreate && 'hash' in template ? withCreatedSet(rollout, template.hash, now) : rollout;
};

/** Whether nothing is lost with the ReplicaSet: it wants no pods, has none, and its status is up to date. */
export const isFree = ({ spec, status, metadata }: Workload): boolean =>
  (status?.replicas ?? 0) === 0 &&
  (spec?.replicas ?? 0) === 0 &&
  Number(status?.['observedGeneration'] ?? 0) >= (metadata.generation ?? 0);

/** The oldest ReplicaSets beyond the history limit that have no pods (W-73). */
const beyondHistory = (rollout: Rollout): readonly Workload[] => {
  const limit = rollout.deployment.spec?.['revisionHistoryLimit'];
  if (typeof limit !== 'number' || limit === NO_LIMIT) return [];
  const kept = oldSetsOf(rollout).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const surplus = kept.length - limit;
  if (surplus <= 0) return [];
  return kept
    .toSorted((a, b) => Number(revisionOf(a) - revisionOf(b)))
    .slice(0, surplus)
    .filter(isFree);
};

interface Decided {
  readonly rollout: Rollout;
  readonly isRollout: boolean;
}

const rolling = (rollout: Rollout): Rollout => {
  const grown = withNewSetScaled(rollout);
  return grown === rollout ? withOldSetsShrunk(rollout) : grown;
};

const recreate = (rollout: Rollout, view: DeploymentView, now: EpochMs): Rollout => {
  const stopped = withOldSetsStopped(rollout);
  if (stopped !== rollout || view.hasOldPods) return stopped;
  return withNewSetScaled(withNewSet(rollout, view, true, now));
};

const decide = (rollout: Rollout, view: DeploymentView, now: EpochMs): Decided => {
  const { deployment } = rollout;
  const isPaused = deployment.spec?.['paused'] === true;
  const found = withNewSet(rollout, view, false, now);
  if (deployment.metadata.deletionTimestamp !== undefined) return { rollout: found, isRollout: false };
  if (isPaused || isScaling(found)) return { rollout: withScale(found), isRollout: false };
  const next = isRecreate(deployment)
    ? recreate(found, view, now)
    : rolling(withNewSet(rollout, view, true, now));
  return { rollout: next, isRollout: true };
};

const begun = ({ deployment, sets, template, available }: DeploymentView, now: EpochMs): Rollout => {
  const isLeaving = deployment.metadata.deletionTimestamp !== undefined;
  return {
    deployment: isLeaving ? deployment : withPauseNote(deployment, now),
    sets: sets.toSorted(byAge),
    newUid: 'uid' in template ? template.uid : undefined,
    available,
    events: [],
  };
};

const growth = ({ before, after }: SetUpdate): number => replicasOf(after) - replicasOf(before);

/** What was decided about the ReplicaSets that are there: those that get smaller first, so that a crash leaves too few, not too many. */
const updatesOf = ({ sets }: Rollout, known: readonly Workload[]): readonly SetUpdate[] => {
  const before = new Map(known.map((set) => [set.metadata.uid, set]));
  const updates = sets.flatMap((after) => {
    const was = before.get(after.metadata.uid);
    return was && !deepEqual(was, after) ? [{ before: was, after }] : [];
  });
  return updates.toSorted((a, b) => Math.sign(growth(a)) - Math.sign(growth(b)));
};

const believesStatuses = (
  { deployment, newUid, available }: Rollout,
  updates: readonly SetUpdate[],
): boolean =>
  available === undefined &&
  replicasOf(deployment) > 0 &&
  !isRecreate(deployment) &&
  updates.some((update) => update.before.metadata.uid !== newUid && growth(update) < 0);

/** Decides at `now` (ms) what a Deployment does with its ReplicaSets (W-59 to W-76, W-79). */
export const decideDeployment = (view: DeploymentView, now: EpochMs): DeploymentDecision => {
  const { rollout, isRollout } = decide(begun(view, now), view, now);
  const { deployment, sets, events } = rollout;
  const status = (isRollout ? rolloutStatus : scalingStatus)(deployment, sets, newSetOf(rollout), now);
  const next = { ...deployment, status };
  const mayClean = isRollout ? isComplete(deployment, status) : deployment.spec?.['paused'] === true;
  const isLeaving = deployment.metadata.deletionTimestamp !== undefined;
  const updates = updatesOf(rollout, view.sets);
  return {
    create: sets.find(({ metadata }) => metadata.uid === TO_CREATE),
    updates,
    isCountNeeded: believesStatuses(rollout, updates),
    delete: mayClean && !isLeaving && events.length === 0 ? beyondHistory(rollout) : [],
    deployment: deepEqual(next, view.deployment) ? view.deployment : next,
    events,
  };
};
