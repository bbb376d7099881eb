/** What a probe of a container does next, as a state machine. Source: kubernetes v1.34 pkg/kubelet/prober `worker.doProbe`. */
import { type EpochMs, parseTime } from '../../../shared/kube/values/time.ts';
import type { Probe } from '../containers/container.ts';
import type { ContainerStatus } from '../containers/container-status.ts';
import { INITIAL_RESULTS, type ProbeKind, type ProbeResult } from './probe-kind.ts';

export interface ProbeSubject {
  readonly kind: ProbeKind;
  readonly probe: Probe;
  /** Whether the container may be started again after it has ended: by the pod's policy, or because it is a sidecar. */
  readonly canRestart: boolean;
}

export interface ProbeState {
  /** The container that was last seen. */
  readonly containerId?: string;
  /** The result that counts for it. */
  readonly result?: ProbeResult;
  /** Whether that is what the container has shown, by its answers or its end. Else it is what counts until then. */
  readonly isJudged: boolean;
  /** Its verdict is final: nothing is asked until there is another container. */
  readonly isOnHold: boolean;
  /** The last answer, and how often it was given in a row. */
  readonly last?: 'Success' | 'Failure';
  readonly run: number;
}

export const NEW_PROBE: ProbeState = { isJudged: false, isOnHold: false, run: 0 };

/** What is known of the container and its pod. */
export interface ProbeView {
  /** Whether the pod has ended. */
  readonly hasPodEnded: boolean;
  readonly isPodDeleting: boolean;
  /** Of the container; absent: it has none yet. */
  readonly status?: ContainerStatus;
}

/** `probe`: ask. `wait`: nothing to do before the next period. `stop`: nothing will ever be to do. */
export interface ProbeStep {
  readonly next: 'probe' | 'wait' | 'stop';
  readonly state: ProbeState;
  /** Results that were set for the container, where they differ from the ones before. */
  readonly updates: readonly ProbeResult[];
}

const still = (next: ProbeStep['next'], state: ProbeState): ProbeStep => ({ next, state, updates: [] });

const withResult = (next: ProbeStep['next'], state: ProbeState, result: ProbeResult): ProbeStep =>
  state.result === result ? still(next, state) : { next, state: { ...state, result }, updates: [result] };

/** A start in the future means that the clock was set back: it is long ago. */
const isDelayed = ({ probe }: ProbeSubject, { state }: ContainerStatus, now: EpochMs): boolean => {
  const startedAt = parseTime(state?.running?.startedAt ?? '') ?? 0;
  const agoMs = now - startedAt;
  return agoMs >= 0 && Math.trunc(agoMs / 1000) < (probe.initialDelaySeconds ?? 0);
};

/** Before a container has started only its start-up probe is asked, and afterwards only the others. */
const isItsTime = ({ kind }: ProbeSubject, { started }: ContainerStatus): boolean =>
  (kind === 'Startup') !== (started === true);

const stepOf = (
  subject: ProbeSubject,
  state: ProbeState,
  view: ProbeView,
  status: ContainerStatus,
  now: EpochMs,
): ProbeStep => {
  if (state.isOnHold) return still('wait', state);
  if (!status.state?.running) {
    const hasEnded = status.state?.terminated !== undefined;
    const next = hasEnded && !subject.canRestart ? 'stop' : 'wait';
    // One of which the runtime does not know whether it runs has not failed.
    return withResult(next, { ...state, isJudged: hasEnded }, 'Failure');
  }
  if (view.isPodDeleting && subject.kind !== 'Readiness') return withResult('stop', state, 'Success');
  if (isDelayed(subject, status, now) || !isItsTime(subject, status)) return still('wait', state);
  return still('probe', state);
};

/** Adopts another container: its result begins anew. The row of equal answers goes on. */
const adopted = ({ kind }: ProbeSubject, state: ProbeState, containerId: string): ProbeStep => {
  const { result: _result, ...rest } = state;
  const fresh = { ...rest, containerId, isJudged: false, isOnHold: false };
  return withResult('wait', fresh, INITIAL_RESULTS[kind]);
};

/** What to do at `now`. */
export const nextProbeStep = (
  subject: ProbeSubject,
  state: ProbeState,
  view: ProbeView,
  now: EpochMs,
): ProbeStep => {
  if (view.hasPodEnded) return still('stop', state);
  const { status } = view;
  if (!status?.containerID) return still('wait', state);
  if (status.containerID === state.containerId) return stepOf(subject, state, view, status, now);
  const first = adopted(subject, state, status.containerID);
  const then = stepOf(subject, first.state, view, status, now);
  return { ...then, updates: [...first.updates, ...then.updates] };
};

/** After an answer: a result changes only when as many equal answers were given as its threshold says. */
export const afterAnswer = (
  { kind, probe }: ProbeSubject,
  before: ProbeState,
  answer: 'Success' | 'Failure',
): ProbeStep => {
  const run = before.last === answer ? before.run + 1 : 1;
  const state = { ...before, last: answer, run };
  const needed = answer === 'Failure' ? (probe.failureThreshold ?? 3) : (probe.successThreshold ?? 1);
  if (run < needed) return still('wait', state);
  const judged = { ...state, isJudged: true };
  const isFinal = kind === 'Startup' || (kind === 'Liveness' && answer === 'Failure');
  return withResult('wait', isFinal ? { ...judged, isOnHold: true, run: 0 } : judged, answer);
};
