/** One probe of one container, round by round. Source: kubernetes v1.34 pkg/kubelet/prober `worker.run`. */

import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Clock } from '../ports/machine/clock.ts';
import type { ProbeResult } from '../rules/probes/probe-kind.ts';
import {
  afterAnswer,
  NEW_PROBE,
  nextProbeStep,
  type ProbeState,
  type ProbeStep,
  type ProbeSubject,
  type ProbeView,
} from '../rules/probes/probe-state.ts';
import { createWaker } from '../waker.ts';
import { type AskDeps, type Asked, ask } from './ask.ts';

export interface WorkerDeps extends AskDeps {
  readonly clock: Clock;
  /** What is known of the container now. */
  readonly view: () => ProbeView;
  /** Takes a result that differs from the one before, or that the container has shown for the first time. */
  readonly onResult: (result: ProbeResult, containerId: string) => void;
}

export interface ProbeWorker {
  readonly state: () => ProbeState;
  /** Begins the next round at once. */
  askNow(): void;
  /** Ends. The answer of a round that goes on does not count. */
  stop(): void;
  /** Resolves when nothing will be asked any more. */
  readonly ended: Promise<void>;
}

const DEFAULT_PERIOD_SECONDS = 10;

/** The period of the probe in milliseconds. */
export const periodMsOf = ({ probe }: Pick<ProbeSubject, 'probe'>): number =>
  (probe.periodSeconds ?? DEFAULT_PERIOD_SECONDS) * 1000;

/**
 * One round of a probe: looks at the container, probes it if it is its turn, and judges the answer. Returns what the probe does
 * next, and its state.
 */
export const probeRound = async (
  deps: AskDeps,
  subject: ProbeSubject & Pick<Asked, 'pod' | 'container'>,
  state: ProbeState,
  view: ProbeView,
  now: EpochMs,
): Promise<ProbeStep> => {
  const step = nextProbeStep(subject, state, view, now);
  if (step.next !== 'probe') return step;
  const { kind, pod, container } = subject;
  const answer = await ask(deps, {
    kind,
    pod,
    container,
    containerId: step.state.containerId ?? '',
  });
  if (answer === undefined) return { ...step, next: 'wait' };
  const judged = afterAnswer(subject, step.state, answer);
  return { ...judged, updates: [...step.updates, ...judged.updates] };
};

/** Starts the worker; its first round begins after `delayMs`. */
export const startProbeWorker = (
  deps: WorkerDeps,
  subject: ProbeSubject & Pick<Asked, 'pod' | 'container'>,
  delayMs: number,
): ProbeWorker => {
  const { clock } = deps;
  let state = NEW_PROBE;
  let isStopped = false;
  const waker = createWaker(clock);
  const round = async (): Promise<void> => {
    const step = await probeRound(deps, subject, state, deps.view(), clock.now());
    if (isStopped) return;
    const isFirst = step.state.isJudged && !state.isJudged;
    ({ state } = step);
    for (const result of step.updates) deps.onResult(result, state.containerId ?? '');
    if (isFirst && step.updates.length === 0 && state.result)
      deps.onResult(state.result, state.containerId ?? '');
    isStopped = step.next === 'stop';
  };
  /** Periods are counted from the last round that was asked for; a round that takes longer is followed at once. */
  const pause = async (nextAt: number): Promise<number> => {
    const isEarly = await waker.wait(nextAt - clock.uptime());
    return (isEarly ? clock.uptime() : Math.max(nextAt, clock.uptime())) + periodMsOf(subject);
  };
  const run = async (): Promise<void> => {
    await clock.sleep(delayMs);
    for (let nextAt = clock.uptime() + periodMsOf(subject); !isStopped; nextAt = await pause(nextAt))
      await round();
  };
  return {
    state: () => state,
    askNow: waker.wake,
    stop: () => {
      isStopped = true;
      waker.wake();
    },
    ended: run(),
  };
};
