import type { LifecyclePolicy, LifecyclePolicySpec } from '../types/lifecycle-policy.ts';

const DAMPING = { losses: 3, withinSeconds: 600, stableSeconds: 120 } as const;
const DRAIN = { whenFlapping: false, whenShuttingDown: true } as const;

const defaultSpec = ({
  flapDamping,
  drainBeforeLost,
  ...spec
}: LifecyclePolicySpec): LifecyclePolicySpec => ({
  priority: 0,
  ...spec,
  ...(flapDamping ? { flapDamping: { ...DAMPING, ...flapDamping } } : {}),
  ...(drainBeforeLost ? { drainBeforeLost: { ...DRAIN, ...drainBeforeLost } } : {}),
});

/** A policy with the defaults of its priority, its flap damping and its drain. What it does not mention stays absent. */
export const defaultLifecyclePolicy = (policy: LifecyclePolicy): LifecyclePolicy => ({
  ...policy,
  spec: defaultSpec(policy.spec ?? {}),
});
