/**
 * Computes the status of a PodDisruptionBudget from the pods that it selects. Source: kubernetes v1.34 `pkg/controller/disruption` and
 * component-helpers `apps/poddisruptionbudget`.
 */

import { ownMember } from '../../kube/json/own-member.ts';
import { selects } from '../../kube/selector/object-selector.ts';
import { byText } from '../../kube/text/compare-text.ts';
import type { Pod } from '../../kube/types/core.ts';
import type { Condition } from '../../kube/types/meta.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../kube/types/policy.ts';
import { controllerOf } from '../../kube/values/controller-of.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { parseTime, toTime } from '../../kube/values/time.ts';
import { isEndingWithNode } from '../pods/end-mark.ts';
import { isPodReady } from '../pods/pod-conditions.ts';

/** Milliseconds after which a granted eviction lapses because the pod was not deleted; the pod counts again. */
export const DELETION_TIMEOUT_MS = 120_000;

const DISRUPTION_ALLOWED = 'DisruptionAllowed';

/**
 * The replicas that a controlling owner wants, or why they are unknown. `of`: uid of the Deployment behind a ReplicaSet, whose
 * replicas they are.
 */
export type OwnerScale =
  | { readonly replicas: number; readonly of?: string | undefined }
  | { readonly fault: string };

/** Scales by the owner's uid. A missing owner counts as not found. */
export type OwnerScales = ReadonlyMap<string, OwnerScale>;

/** Whether the budget selects this pod; the pod must be in the budget's namespace. */
export const coversPod = ({ metadata, spec }: PodDisruptionBudget, pod: Pod): boolean =>
  metadata.namespace === pod.metadata.namespace && selects(spec?.selector, pod.metadata.labels);

const secondsOf = (time: string | undefined): number => Math.floor((parseTime(time ?? '') ?? 0) / 1000);

const hasLapsed = (grantedAt: string, now: EpochMs): boolean =>
  (parseTime(grantedAt) ?? 0) + DELETION_TIMEOUT_MS <= now;

/** A grant of a pod that is not being deleted. A pod created after the grant is a new pod with the same name. */
const grantOf = ({ status }: PodDisruptionBudget, { metadata }: Pod): string | undefined => {
  const at = ownMember(status?.disruptedPods ?? {}, metadata.name);
  const isOpen = at !== undefined && metadata.deletionTimestamp === undefined;
  return isOpen && secondsOf(metadata.creationTimestamp) <= secondsOf(at) ? at : undefined;
};

/** The grants that are still valid: at most two minutes old, for pods that exist and are not being deleted. */
const standingGrants = (
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  now: EpochMs,
): Readonly<Record<string, string>> => {
  const standing = pods.flatMap((pod): [string, string][] => {
    const at = grantOf(budget, pod);
    return at === undefined || hasLapsed(at, now) ? [] : [[pod.metadata.name, at]];
  });
  return Object.fromEntries(standing);
};

/** Pods whose eviction was granted two minutes ago, and that nobody has deleted. */
export const lapsedGrants = (
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  now: EpochMs,
): readonly { readonly pod: Pod; readonly grantedAt: string }[] =>
  pods.flatMap((pod) => {
    const grantedAt = grantOf(budget, pod);
    return grantedAt !== undefined && hasLapsed(grantedAt, now) ? [{ pod, grantedAt }] : [];
  });

/** Whether a change of a budget has brought a grant. */
export const hasNewGrant = (
  before: PodDisruptionBudget | undefined,
  { status }: PodDisruptionBudget,
): boolean =>
  Object.entries(status?.disruptedPods ?? {}).some(
    ([name, at]) => ownMember(before?.status?.disruptedPods ?? {}, name) !== at,
  );

/** What a budget takes from a pod, as text: its status may change only with it. */
export const budgetFactsOf = (pod: Pod): string => {
  const { labels = {}, deletionTimestamp } = pod.metadata;
  const sorted = Object.entries(labels).toSorted(([a], [b]) => byText(a, b));
  return JSON.stringify([
    sorted,
    isPodReady(pod),
    deletionTimestamp !== undefined || isEndingWithNode(pod),
    controllerOf(pod)?.uid ?? '',
  ]);
};

/** Resolves a number or percentage: a number is unchanged, a percentage is that share of `total`, rounded up. */
const scaled = (value: number | string, total: number): number =>
  typeof value === 'number' ? value : Math.ceil((Number.parseInt(value, 10) * total) / 100);

/** Whether the budget needs the replicas that the owners of its pods want. */
export const needsScale = ({ spec }: PodDisruptionBudget): boolean =>
  spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === 'string';

const scaleOf = (pod: Pod, uid: string, scales: OwnerScales): OwnerScale =>
  scales.get(uid) ?? { fault: `found no controllers for pod "${pod.metadata.name}"` };

/** The sum of what the pods' owners want; pods without an owner add nothing. */
const expectedScale = (pods: readonly Pod[], scales: OwnerScales): OwnerScale => {
  const replicas = new Map<string, number>();
  for (const pod of pods) {
    const uid = controllerOf(pod)?.uid;
    if (uid === undefined) continue;
    const scale = scaleOf(pod, uid, scales);
    if ('fault' in scale) return scale;
    replicas.set(scale.of ?? uid, scale.replicas);
  }
  return { replicas: [...replicas.values()].reduce((sum, one) => sum + one, 0) };
};

type Expected = { readonly expectedPods: number; readonly desiredHealthy: number };

const expectedOf = (
  { spec = {} }: PodDisruptionBudget,
  pods: readonly Pod[],
  scales: OwnerScales,
): Expected | { readonly fault: string } => {
  const { minAvailable, maxUnavailable } = spec;
  if (maxUnavailable === undefined && typeof minAvailable !== 'string')
    return minAvailable === undefined
      ? { expectedPods: 0, desiredHealthy: 0 }
      : { expectedPods: pods.length, desiredHealthy: minAvailable };
  const scale = expectedScale(pods, scales);
  if ('fault' in scale) return scale;
  const { replicas: expectedPods } = scale;
  const desiredHealthy =
    maxUnavailable === undefined
      ? scaled(minAvailable ?? 0, expectedPods)
      : Math.max(0, expectedPods - scaled(maxUnavailable, expectedPods));
  return { expectedPods, desiredHealthy };
};

type Verdict = Pick<Condition, 'status' | 'reason' | 'message'>;

const verdictOf = (disruptionsAllowed: number): Verdict =>
  disruptionsAllowed > 0
    ? { status: 'True', reason: 'SufficientPods', message: '' }
    : { status: 'False', reason: 'InsufficientPods', message: '' };

const sinceOf = (there: Condition | undefined, { status }: Verdict, now: EpochMs): string =>
  there?.status === status && there.lastTransitionTime ? there.lastTransitionTime : toTime(now);

const withVerdict = (
  conditions: readonly Condition[] = [],
  verdict: Verdict,
  observedGeneration: number | undefined,
  now: EpochMs,
): readonly Condition[] => {
  const there = conditions.find(({ type }) => type === DISRUPTION_ALLOWED);
  const next: Condition = {
    type: DISRUPTION_ALLOWED,
    ...verdict,
    ...(observedGeneration ? { observedGeneration } : {}),
    lastTransitionTime: sinceOf(there, verdict, now),
  };
  return there ? conditions.map((one) => (one === there ? next : one)) : [...conditions, next];
};

/** The status of a budget that was never evaluated. */
export const NO_STATUS: PodDisruptionBudgetStatus = {
  disruptionsAllowed: 0,
  currentHealthy: 0,
  desiredHealthy: 0,
  expectedPods: 0,
};

/** The status when the pods cannot be counted: no disruption is allowed, the other fields are unchanged. */
const failedStatus = (
  { status = NO_STATUS }: PodDisruptionBudget,
  message: string,
  now: EpochMs,
): PodDisruptionBudgetStatus => {
  const verdict = { status: 'False', reason: 'SyncFailed', message } as const;
  const conditions = withVerdict(status.conditions, verdict, status.observedGeneration, now);
  return { ...status, disruptionsAllowed: 0, conditions };
};

/** Why the status could not be computed; `undefined` if it could. */
export const syncFault = ({ conditions = [] }: PodDisruptionBudgetStatus): string | undefined =>
  conditions.find(({ reason }) => reason === 'SyncFailed')?.message;

const isHealthy = (pod: Pod, grants: Readonly<Record<string, string>>): boolean =>
  pod.metadata.deletionTimestamp === undefined &&
  !isEndingWithNode(pod) &&
  ownMember(grants, pod.metadata.name) === undefined &&
  isPodReady(pod);

// Until a status is stored, the time of the last transition is unknown; the creation time is stable from one read to the next.
const verdictTime = ({ metadata, status }: PodDisruptionBudget, now: EpochMs): EpochMs =>
  status?.conditions ? now : (parseTime(metadata.creationTimestamp ?? '') ?? now);

/** The budget's status at `now` (ms); `pods` are all pods that it selects. */
export const budgetStatus = (
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  scales: OwnerScales,
  now: EpochMs,
): PodDisruptionBudgetStatus => {
  const expected = expectedOf(budget, pods, scales);
  if ('fault' in expected) return failedStatus(budget, expected.fault, now);
  const grants = standingGrants(budget, pods, now);
  const currentHealthy = pods.filter((pod) => isHealthy(pod, grants)).length;
  const { expectedPods, desiredHealthy } = expected;
  const disruptionsAllowed = expectedPods > 0 ? Math.max(0, currentHealthy - desiredHealthy) : 0;
  const observedGeneration = budget.metadata.generation ?? 0;
  return {
    observedGeneration,
    ...(Object.keys(grants).length > 0 ? { disruptedPods: grants } : {}),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    conditions: withVerdict(
      budget.status?.conditions,
      verdictOf(disruptionsAllowed),
      observedGeneration,
      verdictTime(budget, now),
    ),
  };
};

/** The status after the eviction of the named pod was granted. */
export const withGrant = (
  status: PodDisruptionBudgetStatus,
  podName: string,
  now: EpochMs,
): PodDisruptionBudgetStatus => {
  const disruptionsAllowed = status.disruptionsAllowed - 1;
  const disruptedPods = { ...status.disruptedPods, [podName]: toTime(now) };
  if (disruptionsAllowed > 0) return { ...status, disruptionsAllowed, disruptedPods };
  const verdict = verdictOf(disruptionsAllowed);
  const conditions = withVerdict(status.conditions, verdict, status.observedGeneration, now);
  return { ...status, disruptionsAllowed, disruptedPods, conditions };
};
