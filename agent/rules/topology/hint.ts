/** What a manager of a resource says about where a container could get it. */
import type { NumaMask } from './numa-mask.ts';

/** `affinity` absent: any node will do. */
export interface TopologyHint {
  readonly affinity?: NumaMask;
  readonly isPreferred: boolean;
}

/** By the name of the resource. `undefined`: no preference; an empty list: it cannot be had. */
export type ResourceHints = Readonly<Record<string, readonly TopologyHint[] | undefined>>;
