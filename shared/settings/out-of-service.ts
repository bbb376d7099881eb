/** Who says that a node is out of service. */

/** `manual`: an operator, by the taint. `proven`: the control plane, too, once there is a proof. */
export type OutOfServicePolicy = 'manual' | 'proven';

export interface OutOfServiceConfig {
  /** For nodes without the annotation. */
  readonly policy: OutOfServicePolicy;
  /** Who switches machines off; absent: nobody. */
  readonly fencingUrl?: string;
  /** Milliseconds between the NoExecute taint of a node and the first request to switch its machine off. */
  readonly fencingDelayMs: number;
}
