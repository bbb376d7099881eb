import type { RuntimeHandler, RuntimeImage } from '../../rules/node/inventory.ts';
import type { Devices } from '../../rules/node/machine-info.ts';
import type { NodeHealth } from '../../rules/node-status/conditions.ts';

/** What the container runtime tells about itself. */
export interface RuntimeFacts {
  /** Such as `process`. */
  readonly type: string;
  /** Absent: it does not tell. */
  readonly version?: string;
  readonly handlers: readonly RuntimeHandler[];
  /** Whether it knows `supplementalGroupsPolicy`; absent: it does not tell. */
  readonly supplementalGroupsPolicy?: boolean;
}

/** What the other parts of the agent know about the node. */
export interface NodeFacts {
  health(): Omit<NodeHealth, 'localStorageCapacityIsolation'>;
  devices(): Devices;
  /** `inUse` counts once `isSynced`: when the agent has looked at all of its pods. */
  volumes(): { readonly inUse: readonly string[]; readonly isSynced: boolean };
  /** Rejects if the runtime does not answer. */
  runtime(): Promise<RuntimeFacts>;
  /** Rejects if the runtime cannot list them. */
  images(): Promise<readonly RuntimeImage[]>;
}
