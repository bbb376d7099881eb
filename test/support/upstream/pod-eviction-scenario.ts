import type { Toleration } from '../../../shared/kube/types/core.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { type NoExecuteFacts, noExecuteFacts } from '../../../shared/rules/nodes/taints.ts';
import {
  decidePodEviction,
  type PodToEvict,
  type StoredDeadline,
} from '../../../shared/rules/pods/taint-eviction.ts';
import { taint } from '../objects/domain-objects.ts';

/** One change of the pod or of its node's taints (`key[=value]:NoExecute`), decided about at once. */
export interface EvictionStep {
  readonly at: EpochMs;
  readonly taints?: readonly string[];
  readonly tolerations?: readonly Toleration[];
  readonly boundAt?: EpochMs;
  /** A pod of the same name replaces the one before. */
  readonly uid?: string;
  /** The change happens, but nobody decides: its message is lost. */
  readonly isLost?: boolean;
}

export interface EvictionTrace {
  /** When the pod was evicted, `undefined` when it was not by the end. */
  readonly evictedAt: EpochMs | undefined;
  /** The instant of the stored deadline after each step. */
  readonly fireAts: readonly (EpochMs | undefined)[];
}

interface State {
  pod: PodToEvict;
  facts: NoExecuteFacts;
  stored: StoredDeadline | undefined;
}

/** Other tolerations of a pod that was there before, not those that it comes with. */
const isRetolerated = ({ pod }: State, step: EvictionStep): boolean =>
  step.tolerations !== undefined && step.boundAt === undefined && pod.tolerations.length > 0;

const change = (state: State, step: EvictionStep): State => ({
  pod: {
    ...state.pod,
    uid: step.uid ?? state.pod.uid,
    tolerations: step.tolerations ?? state.pod.tolerations,
    ...(step.boundAt === undefined ? {} : { boundAt: step.boundAt }),
    ...(isRetolerated(state, step) ? { toleratedAt: step.at } : {}),
  },
  facts:
    step.taints === undefined ? state.facts : noExecuteFacts(state.facts, step.taints.map(taint), step.at),
  stored: state.stored,
});

/** Decides, stores the outcome, and returns whether the pod is evicted. */
const decide = (state: State, now: EpochMs): boolean => {
  const decision = decidePodEviction(state.pod, state.facts, state.stored, now);
  if (decision.action === 'wait') state.stored = decision.deadline;
  if (decision.action === 'clear') state.stored = undefined;
  return decision.action === 'evict';
};

/** Plays the steps as the taint-eviction controller would, a wake-up at each stored deadline included. */
export const playEviction = (steps: readonly EvictionStep[], end: EpochMs): EvictionTrace => {
  let state: State = { pod: { uid: 'pod', tolerations: [] }, facts: { noExecute: [] }, stored: undefined };
  const fireAts: (EpochMs | undefined)[] = [];
  for (const [index, step] of steps.entries()) {
    state = change(state, step);
    if (step.isLost !== true && decide(state, step.at)) return { evictedAt: step.at, fireAts };
    fireAts.push(state.stored?.fireAt);
    const next = steps[index + 1]?.at ?? end;
    const due = state.stored?.fireAt;
    if (due !== undefined && due <= next && decide(state, due)) return { evictedAt: due, fireAts };
  }
  return { evictedAt: undefined, fireAts };
};
