/**
 * How long a pod that is ended may take. Source: kubernetes v1.34 pkg/kubelet `calculateEffectiveGracePeriod`, `killPodNow`.
 */
import type { Pod } from '../../../shared/kube/types/core.ts';

/** Without a second nothing would be asked to end. */
const LEAST_GRACE_SECONDS = 1;

export interface Grace {
  readonly seconds: number;
  /** Whether it is other than the one in force before: who waits for the longer one has to begin anew. */
  readonly isShortened: boolean;
}

/**
 * The grace period of the pod in seconds. It only ever becomes shorter: `current` is the one in force, 0 before the first; `override`
 * is that of whoever ends the pod.
 */
export const podGrace = (
  { metadata, spec }: Pick<Pod, 'metadata' | 'spec'>,
  current: number,
  override?: number,
): Grace => {
  const asked = [metadata.deletionGracePeriodSeconds, override].filter((one) => one !== undefined);
  let seconds = current;
  let isOverridden = false;
  for (const one of asked) {
    if (seconds !== 0 && one >= seconds) continue;
    seconds = one;
    isOverridden = true;
  }
  if (!isOverridden && seconds === 0) seconds = spec.terminationGracePeriodSeconds ?? 0;
  seconds = Math.max(LEAST_GRACE_SECONDS, seconds);
  return { seconds, isShortened: current !== 0 && current !== seconds };
};

const LEAST_KILL_SECONDS = 10;

/** How long, in milliseconds, who has a pod ended waits for it: the grace period and half as much again, and 10 s at least. */
export const killTimeoutMs = ({ spec }: Pick<Pod, 'spec'>, override?: number): number => {
  const seconds = override ?? spec.terminationGracePeriodSeconds ?? 0;
  return Math.max(LEAST_KILL_SECONDS, seconds + Math.trunc(seconds / 2)) * 1000;
};
