/** How far a drain has come, and the conditions of the Node that say it. */

import { deepEqual } from '../../kube/json/deep-equal.ts';
import type { Node } from '../../kube/types/core.ts';
import type { Condition } from '../../kube/types/meta.ts';
import { DRAIN_IN_PROGRESS, DRAINED } from '../../kube/types/well-known.ts';
import { type EpochMs, toTime } from '../../kube/values/time.ts';
import { REFUSAL_TEXTS, type Refusal } from './drain-pods.ts';
import { type DrainRequest, isPastDeadline, isValid } from './drain-request.ts';

/** A pod that stays for now, as `namespace/name`, and why: what the filters refuse, or what a budget or an error says. */
export interface BlockedPod {
  readonly pod: string;
  readonly why: readonly Refusal[] | string;
}

/** The pods of a node that is being drained, after a look. */
export interface DrainProgress {
  /** Pods that are being deleted. */
  readonly terminating: number;
  /** Pods that have not been tried yet. */
  readonly untried: number;
  /** Pods that a budget holds, or whose eviction failed. They are tried again. */
  readonly waiting: readonly BlockedPod[];
  /** Pods that the options of the request do not let go. */
  readonly refused: readonly BlockedPod[];
  /** Until when (ms) holds keep some of those that wait; `Infinity`: until a hold without an end is over. Absent: none does. */
  readonly heldUntil?: EpochMs;
}

/** What a drain does. `gaveUp`: its deadline is over. `refused`: only pods are left that the request does not let go. `stopping`: pods terminate. `held`: holds keep pods. `invalid`: the request cannot be understood, and nothing goes. */
export type DrainState =
  | 'invalid'
  | 'drained'
  | 'gaveUp'
  | 'evicting'
  | 'held'
  | 'waiting'
  | 'refused'
  | 'stopping';

const leftIn = ({ terminating, untried, waiting, refused }: DrainProgress): number =>
  terminating + untried + waiting.length + refused.length;

/** The state of a drain at `now` (ms). */
export const drainState = (progress: DrainProgress, request: DrainRequest, now: EpochMs): DrainState => {
  if (!isValid(request)) return 'invalid';
  if (leftIn(progress) === 0) return 'drained';
  if (isPastDeadline(request, now)) return 'gaveUp';
  if (progress.heldUntil !== undefined) return 'held';
  if (progress.untried > 0) return 'evicting';
  if (progress.waiting.length > 0) return 'waiting';
  return progress.terminating > 0 ? 'stopping' : 'refused';
};

/** Blocked pods that a message names for each reason. */
const MOST_NAMED = 5;
/** Maximum length of a message. */
const MAX_MESSAGE = 1024;

const named = (pods: readonly string[]): string => {
  const more = pods.length - MOST_NAMED;
  return `${pods.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};

const grouped = (
  blocked: readonly { readonly pod: string; readonly why: string }[],
): readonly (readonly [string, readonly string[]])[] =>
  [...Map.groupBy(blocked, ({ why }) => why)].map(([why, pods]) => [why, pods.map(({ pod }) => pod).sort()]);

/** In kubectl's words: which pods the options do not let go. */
export const refusalTexts = (refused: readonly BlockedPod[]): readonly string[] => {
  const each = refused.flatMap(({ pod, why }) =>
    typeof why === 'string' ? [] : why.map((one) => ({ pod, why: REFUSAL_TEXTS[one] })),
  );
  return grouped(each).map(([why, pods]) => `cannot delete ${why}: ${named(pods)}`);
};

const waitingTexts = (waiting: readonly BlockedPod[]): readonly string[] =>
  grouped(waiting.map(({ pod, why }) => ({ pod, why: String(why) }))).map(
    ([why, pods]) => `${named(pods)}: ${why}`,
  );

const podsText = (count: number): string => (count === 1 ? '1 pod is' : `${count} pods are`);

/** What is left on the node, and what holds it. Bounded. */
export const progressText = (progress: DrainProgress): string => {
  const { terminating, refused, waiting } = progress;
  const stopping = terminating > 0 ? [`${podsText(terminating)} stopping`] : [];
  const parts = [
    `${podsText(leftIn(progress))} left`,
    ...stopping,
    ...refusalTexts(refused),
    ...waitingTexts(waiting),
  ];
  return parts.join('; ').slice(0, MAX_MESSAGE);
};

const REASONS: Readonly<Record<DrainState, string>> = {
  invalid: 'InvalidRequest',
  drained: 'NodeDrained',
  gaveUp: 'DeadlineExceeded',
  evicting: 'EvictingPods',
  held: 'Held',
  waiting: 'WaitingForBudgets',
  refused: 'PodsNotPermitted',
  stopping: 'WaitingForTermination',
};

/** The reason of the conditions. */
export const drainReason = (state: DrainState): string => REASONS[state];

const DONE = 'All pods that had to go are gone';
const INVALID =
  'A pod selector of the request cannot be parsed, so no pod goes: correct podSelectors in the annotation rollcall.dev/drain, or uncordon the node';

/** For people: how a drain in this state stands. */
export const stateText = (state: DrainState, progress: DrainProgress): string => {
  if (state === 'invalid') return INVALID;
  return state === 'drained' ? DONE : progressText(progress);
};

const conditionOf = (type: string, isTrue: boolean, reason: string, message: string): Condition => ({
  type,
  status: isTrue ? 'True' : 'False',
  reason,
  message,
});

const conditionsOf = (state: DrainState, progress: DrainProgress): readonly Condition[] => {
  const reason = drainReason(state);
  const message = stateText(state, progress);
  const isUnderWay = state !== 'drained' && state !== 'gaveUp' && state !== 'invalid';
  return [
    conditionOf(DRAIN_IN_PROGRESS, isUnderWay, reason, message),
    conditionOf(DRAINED, state === 'drained', reason, message),
  ];
};

const isOurs = ({ type }: Condition): boolean => type === DRAIN_IN_PROGRESS || type === DRAINED;

const withTime = (wanted: Condition, present: Condition | undefined, now: EpochMs): Condition => {
  const isSame = present?.status === wanted.status && present.lastTransitionTime !== undefined;
  return { ...wanted, lastTransitionTime: isSame ? (present?.lastTransitionTime ?? '') : toTime(now) };
};

const replaced = (node: Node, ours: readonly Condition[]): Node => {
  const before = node.status?.conditions ?? [];
  const conditions = [...before.filter((one) => !isOurs(one)), ...ours];
  return deepEqual(before, conditions) ? node : { ...node, status: { ...node.status, conditions } };
};

/** The node with the conditions of its drain at `now` (ms); the same object if they are right. */
export const withDrainConditions = (
  node: Node,
  state: DrainState,
  progress: DrainProgress,
  now: EpochMs,
): Node => {
  const before = node.status?.conditions ?? [];
  const wanted = conditionsOf(state, progress).map((one) =>
    withTime(
      one,
      before.find(({ type }) => type === one.type),
      now,
    ),
  );
  return replaced(node, wanted);
};

/** The node without the conditions of a drain; the same object if it has none. */
export const withoutDrainConditions = (node: Node): Node =>
  (node.status?.conditions ?? []).some(isOurs) ? replaced(node, []) : node;

/** Whether the node is drained, as its conditions say. */
export const isDrained = ({ status }: Node): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === DRAINED && is === 'True') === true;
