/** What the agent knows of its container runtime, probe by probe. Source: kubernetes v1.34 pkg/kubelet `runtimeState`, `updateRuntimeUp`. */

/** A condition that the runtime reports: `RuntimeReady`, `NetworkReady`. */
export interface RuntimeCondition {
  readonly type: string;
  readonly status: boolean;
  readonly reason: string;
  readonly message: string;
}

export interface RuntimeState {
  /** When the runtime was last ready, in ms of a clock that is never set back; `undefined`: not yet. */
  readonly lastReadyAt?: number;
  readonly runtimeError?: string;
  readonly networkError?: string;
}

/** A check besides the runtime's own status, such as `PLEG`. */
export interface HealthCheck {
  readonly name: string;
  readonly error?: string;
}

/** Silence of the runtime after which it is down. */
const DOWN_AFTER_MS = 30_000;

export const INITIAL_RUNTIME_STATE: RuntimeState = { networkError: 'network state unknown' };

const conditionText = (condition: RuntimeCondition | undefined): string =>
  condition
    ? `${condition.type}=${condition.status} reason:${condition.reason} message:${condition.message}`
    : '<nil>';

const problemWith = (
  conditions: readonly RuntimeCondition[],
  type: string,
  what: string,
): string | undefined => {
  const condition = conditions.find((each) => each.type === type);
  return condition?.status ? undefined : `${what} not ready: ${conditionText(condition)}`;
};

/** The state after the runtime answered at `now`; `undefined`: it did not answer, or with nothing. */
export const afterProbe = (
  state: RuntimeState,
  conditions: readonly RuntimeCondition[] | undefined,
  now: number,
): RuntimeState => {
  if (!conditions) return state;
  const networkError = problemWith(conditions, 'NetworkReady', 'container runtime network');
  const runtimeError = problemWith(conditions, 'RuntimeReady', 'container runtime');
  const lastReadyAt = runtimeError === undefined ? now : state.lastReadyAt;
  return {
    ...(lastReadyAt !== undefined && { lastReadyAt }),
    ...(runtimeError !== undefined && { runtimeError }),
    ...(networkError !== undefined && { networkError }),
  };
};

const silenceOf = ({ lastReadyAt }: RuntimeState, now: number): readonly string[] => {
  if (lastReadyAt === undefined) return ['container runtime status check may not have completed yet'];
  return now - lastReadyAt >= DOWN_AFTER_MS ? ['container runtime is down'] : [];
};

/** Why the runtime makes the node not ready at `now`: silence, failed checks, its own error; empty if it does not. */
export const runtimeErrors = (
  state: RuntimeState,
  checks: readonly HealthCheck[],
  now: number,
): readonly string[] => [
  ...silenceOf(state, now),
  ...checks.flatMap(({ name, error }) => (error === undefined ? [] : [`${name} is not healthy: ${error}`])),
  ...(state.runtimeError === undefined ? [] : [state.runtimeError]),
];

/** Why the network makes the node not ready; empty if it does not. */
export const networkErrors = ({ networkError }: RuntimeState): readonly string[] =>
  networkError === undefined ? [] : [networkError];
