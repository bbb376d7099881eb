import type { LifecyclePolicy, LifecyclePolicySpec } from '../../../shared/kube/types/lifecycle-policy.ts';

/** A stored policy. */
export const aPolicy = (
  name: string,
  spec: LifecyclePolicySpec = {},
  creationTimestamp = '2026-03-01T12:00:00Z',
): LifecyclePolicy => ({
  kind: 'NodeLifecyclePolicy',
  apiVersion: 'rollcall.dev/v1',
  metadata: { name, uid: `uid-${name}`, generation: 1, creationTimestamp },
  spec,
});
