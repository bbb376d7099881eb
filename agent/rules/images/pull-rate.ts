/** How many pulls may begin: `registryPullQPS` a second, `registryBurst` at once. Source: kubernetes v1.34 pkg/kubelet/images `throttleImagePulling`. */

export interface PullRate {
  /** Per second; 0: any number. */
  readonly perSecond: number;
  readonly burst: number;
}

export interface PullBudget {
  readonly left: number;
  /** Milliseconds of uptime. */
  readonly at: number;
}

/** What the error says. */
export const TOO_MANY_PULLS = 'pull QPS exceeded';

/** The budget after one more pull; `undefined`: it may not begin. `before` is absent for the first. */
export const afterPull = (
  { perSecond, burst }: PullRate,
  before: PullBudget | undefined,
  now: number,
): PullBudget | undefined => {
  if (perSecond <= 0) return { left: burst, at: now };
  const refilled = before ? before.left + ((now - before.at) / 1000) * perSecond : burst;
  const left = Math.min(burst, refilled) - 1;
  return left < 0 ? undefined : { left, at: now };
};
