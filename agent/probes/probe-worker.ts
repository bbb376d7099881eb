/** One probe of one container, round by round. Source: kubernetes v1.34 pkg/kubelet/prober `worker.run`. */

import type { Clock } from '../ports/machine/clock.ts';
import type { ProbeResult } from '../rules/probes/probe-kind.ts';
import {
  NEW_PROBE,
  type ProbeState,
  type ProbeSubject,
  type ProbeView,
} from '../rules/probes/probe-state.ts';
import { createWaker } from '../waker.ts';
import type { AskDeps, Asked } from './ask.ts';
import { probeRound } from './probe-round.ts';

export interface WorkerDeps extends AskDeps {
  readonly clock: Clock;
  /** What is known of the container now. */
  readonly view: () => ProbeView;
  /** Takes a result that differs from the one before. */
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
    ({ state } = step);
    for (const result of step.updates) deps.onResult(result, state.containerId ?? '');
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
