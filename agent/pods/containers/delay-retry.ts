/** What failed is not tried again at once, whatever wakes the pod: each try has an event. */
import type { PodDeps } from '../worker/worker-deps.ts';
import type { PodState } from '../worker/worker-state.ts';

/** When something that failed is tried again. Source: kubernetes v1.34 pkg/kubelet `backOffPeriod`. */
export const RETRY_MS = 10_000;

/** `what` is the name of a container, alone or with its image; empty: the sandbox. */
export const holdBack = ({ clock }: PodDeps, { heldBack }: PodState, what: string, forMs = RETRY_MS): void =>
  void heldBack.set(what, clock.uptime() + forMs);

export const isHeldBack = ({ clock }: PodDeps, { heldBack }: PodState, what: string): boolean =>
  clock.uptime() < (heldBack.get(what) ?? 0);
