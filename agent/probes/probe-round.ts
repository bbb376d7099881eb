/** One round of a probe: look at the container, ask it if it is its turn, and judge the answer. */

import type { EpochMs } from '../../shared/kube/values/time.ts';
import {
  afterAnswer,
  nextProbeStep,
  type ProbeState,
  type ProbeStep,
  type ProbeSubject,
  type ProbeView,
} from '../rules/probes/probe-state.ts';
import { type AskDeps, type Asked, ask } from './ask.ts';

/** Returns what the probe does next, and its state. */
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
    ...{ kind, pod, container },
    containerId: step.state.containerId ?? '',
  });
  if (answer === undefined) return { ...step, next: 'wait' };
  const judged = afterAnswer(subject, step.state, answer);
  return { ...judged, updates: [...step.updates, ...judged.updates] };
};
