/** Status, conditions and progress of a Deployment. Source: kubernetes v1.34 pkg/controller/deployment `sync.go`, `progress.go`. */
import type { Condition } from '../../../kube/types/meta.ts';
import type { Workload } from '../../../kube/types/workloads.ts';
import { optional } from '../../../kube/values/optional.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import { parseTime, toTime } from '../../../kube/values/time.ts';
import { replicasOf } from '../replica-set/replica-set.ts';
import { withoutZeros } from '../replica-set/replica-set-status.ts';
import { rollingLimits, wantedReplicas } from './deployment-numbers.ts';

/** A condition of a Deployment. */
export interface DeploymentCondition extends Condition {
  readonly lastUpdateTime?: string;
}

type Status = NonNullable<Workload['status']>;

const NO_DEADLINE = 2_147_483_647;
const PROGRESSING = 'Progressing';
const NEW_AVAILABLE = 'NewReplicaSetAvailable';
const TIMED_OUT = 'ProgressDeadlineExceeded';
const PAUSED = 'DeploymentPaused';

const conditionsIn = (status: Status | undefined): readonly DeploymentCondition[] =>
  (status?.['conditions'] ?? []) as readonly DeploymentCondition[];

const conditionIn = (status: Status | undefined, type: string): DeploymentCondition | undefined =>
  conditionsIn(status).find((condition) => condition.type === type);

const countIn = (status: Status | undefined, name: string): number => {
  const count = status?.[name];
  return typeof count === 'number' ? count : 0;
};

const sumOf = (sets: readonly Workload[], name: string): number =>
  sets.reduce((sum, { status }) => sum + countIn(status, name), 0);

const withConditions = (status: Status, conditions: readonly DeploymentCondition[]): Status => {
  const { conditions: _before, ...rest } = status;
  return conditions.length === 0 ? rest : { ...rest, conditions };
};

const without = (status: Status, type: string): Status =>
  withConditions(
    status,
    conditionsIn(status).filter((condition) => condition.type !== type),
  );

type Wanted = Required<Pick<Condition, 'type' | 'status' | 'reason' | 'message'>>;

/** The status with this condition; unchanged if one of the same status and reason is there. */
const withCondition = (status: Status, wanted: Wanted, time: string): Status => {
  const there = conditionIn(status, wanted.type);
  if (there?.status === wanted.status && there.reason === wanted.reason) return status;
  const since = there?.status === wanted.status ? (there.lastTransitionTime ?? time) : time;
  const others = conditionsIn(status).filter(({ type }) => type !== wanted.type);
  return withConditions(status, [...others, { ...wanted, lastUpdateTime: time, lastTransitionTime: since }]);
};

/** A condition that tells about progress. */
const progressing = (status: Wanted['status'], reason: string, message: string): Wanted => ({
  type: PROGRESSING,
  status,
  reason,
  message,
});

const deadlineOf = ({ spec }: Workload): number | undefined => {
  const seconds = spec?.['progressDeadlineSeconds'];
  return typeof seconds === 'number' && seconds !== NO_DEADLINE ? seconds : undefined;
};

/** The counts of a Deployment, and whether it is available (W-69). */
const countedStatus = (
  deployment: Workload,
  sets: readonly Workload[],
  newSet: Workload | undefined,
  now: EpochMs,
): Status => {
  const available = sumOf(sets, 'availableReplicas');
  const collisions = deployment.status?.['collisionCount'];
  const conditions = conditionsIn(deployment.status);
  const status: Status = {
    observedGeneration: deployment.metadata.generation ?? 0,
    ...withoutZeros({
      replicas: sumOf(sets, 'replicas'),
      updatedReplicas: newSet ? countIn(newSet.status, 'replicas') : 0,
      readyReplicas: sumOf(sets, 'readyReplicas'),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, wantedReplicas(sets) - available),
    }),
    ...optional('collisionCount', collisions),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
  const isAvailable = available >= replicasOf(deployment) - rollingLimits(deployment).unavailable;
  const wanted: Wanted = isAvailable
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };
  return withCondition(status, wanted, toTime(now));
};

/** Whether all pods are new and available, and no others are left (W-70). */
export const isComplete = (deployment: Workload, status: Status | undefined): boolean => {
  const wanted = replicasOf(deployment);
  const counts = ['updatedReplicas', 'replicas', 'availableReplicas'].map((name) => countIn(status, name));
  return (
    counts.every((count) => count === wanted) &&
    countIn(status, 'observedGeneration') >= (deployment.metadata.generation ?? 0)
  );
};

const oldReplicas = (status: Status | undefined): number =>
  countIn(status, 'replicas') - countIn(status, 'updatedReplicas');

const hasProgressed = (before: Status | undefined, after: Status): boolean =>
  oldReplicas(after) < oldReplicas(before) ||
  ['updatedReplicas', 'readyReplicas', 'availableReplicas'].some(
    (name) => countIn(after, name) > countIn(before, name),
  );

/** The instant (ms) at which the rollout counts as stuck; `undefined` if it cannot. */
const stuckAt = (deployment: Workload, status: Status | undefined): EpochMs | undefined => {
  const seconds = deadlineOf(deployment);
  const condition = conditionIn(status, PROGRESSING);
  if (seconds === undefined || !condition || condition.reason === NEW_AVAILABLE) return undefined;
  const from = parseTime(condition.lastUpdateTime ?? '');
  return from === undefined ? undefined : from + seconds * 1000;
};

const hasTimedOut = (deployment: Workload, status: Status, now: EpochMs): boolean => {
  if (conditionIn(status, PROGRESSING)?.reason === TIMED_OUT) return true;
  const at = stuckAt(deployment, status);
  return at !== undefined && at < now;
};

const subjectOf = (deployment: Workload, newSet: Workload | undefined): string =>
  newSet ? `ReplicaSet "${newSet.metadata.name}"` : `Deployment "${deployment.metadata.name}"`;

/** Replaces the condition, whose update time is that of the last progress. */
const renewed = (status: Status, wanted: Wanted, now: EpochMs): Status => {
  const there = conditionIn(status, PROGRESSING);
  const since = there?.status === 'True' ? there.lastTransitionTime : undefined;
  const bare = withCondition(without(status, PROGRESSING), wanted, toTime(now));
  if (since === undefined) return bare;
  return withConditions(
    bare,
    conditionsIn(bare).map((one) => (one.type === PROGRESSING ? { ...one, lastTransitionTime: since } : one)),
  );
};

const withProgress = (
  deployment: Workload,
  status: Status,
  newSet: Workload | undefined,
  now: EpochMs,
): Status => {
  const subject = subjectOf(deployment, newSet);
  if (isComplete(deployment, status))
    return withCondition(
      status,
      progressing('True', NEW_AVAILABLE, `${subject} has successfully progressed.`),
      toTime(now),
    );
  if (hasProgressed(deployment.status, status))
    return renewed(status, progressing('True', 'ReplicaSetUpdated', `${subject} is progressing.`), now);
  if (hasTimedOut(deployment, status, now))
    return withCondition(
      status,
      progressing('False', TIMED_OUT, `${subject} has timed out progressing.`),
      toTime(now),
    );
  return status;
};

const FAILURE = 'ReplicaFailure';

const failureOf = (
  sets: readonly Workload[],
  newSet: Workload | undefined,
): DeploymentCondition | undefined =>
  [...(newSet ? [newSet] : []), ...sets].flatMap(({ status }) => conditionIn(status, FAILURE) ?? [])[0];

/** The status with the failure of a ReplicaSet, and since when that has it (W-72). */
const withFailure = (status: Status, failure: DeploymentCondition | undefined): Status => {
  if (!failure) return without(status, FAILURE);
  const { reason = '', message = '', lastTransitionTime = '' } = failure;
  const wanted = { type: FAILURE, status: failure.status, reason, message };
  return withCondition(status, wanted, lastTransitionTime);
};

/** The status while the Deployment is paused or only scaled: counts, and no judgement of progress. */
export const scalingStatus = countedStatus;

/** The status during and after a rollout (W-69 to W-72). */
export const rolloutStatus = (
  deployment: Workload,
  sets: readonly Workload[],
  newSet: Workload | undefined,
  now: EpochMs,
): Status => {
  const counted = countedStatus(deployment, sets, newSet, now);
  const hasDeadline = deadlineOf(deployment) !== undefined;
  const status = hasDeadline ? counted : without(counted, PROGRESSING);
  const isDone =
    countIn(status, 'replicas') === countIn(status, 'updatedReplicas') &&
    conditionIn(deployment.status, PROGRESSING)?.reason === NEW_AVAILABLE;
  const judged = hasDeadline && !isDone ? withProgress(deployment, status, newSet, now) : status;
  return withFailure(judged, failureOf(sets, newSet));
};

const withStatus = (deployment: Workload, status: Status): Workload =>
  status === deployment.status ? deployment : { ...deployment, status };

/** The Deployment with a note about its new ReplicaSet, if it has a progress deadline. */
export const withReplicaSetNote = (
  deployment: Workload,
  note: 'created' | 'found',
  name: string,
  now: EpochMs,
): Workload => {
  if (deadlineOf(deployment) === undefined) return deployment;
  if (note === 'found' && conditionIn(deployment.status, PROGRESSING)) return deployment;
  const wanted =
    note === 'created'
      ? progressing('True', 'NewReplicaSetCreated', `Created new replica set "${name}"`)
      : progressing('True', 'FoundNewReplicaSet', `Found new replica set "${name}"`);
  return withStatus(deployment, withCondition(deployment.status ?? {}, wanted, toTime(now)));
};

/** The Deployment with the condition that it is paused or has been resumed (W-67). A rollout that has timed out stays so. */
export const withPauseNote = (deployment: Workload, now: EpochMs): Workload => {
  const condition = conditionIn(deployment.status, PROGRESSING);
  if (deadlineOf(deployment) === undefined || condition?.reason === TIMED_OUT) return deployment;
  const isPaused = deployment.spec?.['paused'] === true;
  if (isPaused === (condition?.reason === PAUSED)) return deployment;
  const wanted = isPaused
    ? progressing('Unknown', PAUSED, 'Deployment is paused')
    : progressing('Unknown', 'DeploymentResumed', 'Deployment is resumed');
  return withStatus(deployment, withCondition(deployment.status ?? {}, wanted, toTime(now)));
};

/** The Deployment after another object was found under the name of its new ReplicaSet: the next name is another one (W-74). */
export const withCollision = (deployment: Workload): Workload => {
  const collisionCount = countIn(deployment.status, 'collisionCount') + 1;
  return { ...deployment, status: { ...deployment.status, collisionCount } };
};

/** The Deployment after its new ReplicaSet was refused with this message (W-75). */
export const withRefusal = (deployment: Workload, message: string, now: EpochMs): Workload => {
  if (deadlineOf(deployment) === undefined) return deployment;
  const wanted = progressing('False', 'ReplicaSetCreateError', message);
  return withStatus(deployment, withCondition(deployment.status ?? {}, wanted, toTime(now)));
};

/** When to look again whether the rollout is stuck (ms); `undefined` if it is paused, complete or known to be (W-71). */
export const progressCheckAt = (deployment: Workload): EpochMs | undefined => {
  const { spec, status } = deployment;
  const isJudged = isComplete(deployment, status) || conditionIn(status, PROGRESSING)?.reason === TIMED_OUT;
  if (isJudged || spec?.['paused'] === true) return undefined;
  const at = stuckAt(deployment, status);
  return at === undefined ? undefined : at + 1000;
};
