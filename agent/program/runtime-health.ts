/** What the container runtime means for the node. Source: kubernetes v1.34 pkg/kubelet `updateRuntimeUp`. */

import type { Clock } from '../ports/machine/clock.ts';
import type { Runtime } from '../ports/machine/runtime.ts';
import {
  afterProbe,
  INITIAL_RUNTIME_STATE,
  networkErrors,
  type RuntimeCondition,
  type RuntimeState,
  runtimeErrors,
} from '../rules/node/runtime-state.ts';

const PERIOD_MS = 5_000;

/** Processes use the network of the machine, so that it is ready with the runtime. */
const READY: readonly RuntimeCondition[] = ['RuntimeReady', 'NetworkReady'].map((type) => ({
  type,
  status: true,
  reason: '',
  message: '',
}));

/** Rejects if the runtime does not answer. */
const conditionsOf = async (
  runtime: Pick<Runtime, 'facts' | 'conditions'>,
): Promise<readonly RuntimeCondition[]> => {
  if (runtime.conditions) return await runtime.conditions();
  await runtime.facts();
  return READY;
};

export interface RuntimeHealth {
  probe(): Promise<void>;
  errors(): { readonly runtimeErrors: readonly string[]; readonly networkErrors: readonly string[] };
  /** Probes until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}

export const createRuntimeHealth = (
  runtime: Pick<Runtime, 'facts' | 'conditions' | 'checks'>,
  clock: Pick<Clock, 'uptime' | 'sleep'>,
): RuntimeHealth => {
  let state: RuntimeState = INITIAL_RUNTIME_STATE;
  const probe = async (): Promise<void> => {
    const conditions = await conditionsOf(runtime).catch(() => undefined);
    state = afterProbe(state, conditions, clock.uptime());
  };
  return {
    probe,
    errors: () => ({
      runtimeErrors: runtimeErrors(state, runtime.checks?.() ?? [], clock.uptime()),
      networkErrors: networkErrors(state),
    }),
    run: async (signal) => {
      while (!signal.aborted) {
        await probe();
        await clock.sleep(PERIOD_MS);
      }
    },
  };
};
