/** The fleet whose month is estimated. */
import type { StackName } from './stack.ts';

export interface Fleet {
  /** 0: none has come yet. */
  readonly nodes: number;
  /** Seconds between two beats of a node. */
  readonly intervalSeconds: number;
  readonly zones: number;
  /** Whether beats come in batches of relays. */
  readonly isRelayed: boolean;
  /** Whether the setting `heartbeatCapacity` provisions capacity for the beats. */
  readonly isProvisioned: boolean;
  /** Whether machines run `rollcall agent`, which also looks at its work and reports its status. */
  readonly hasAgents: boolean;
  readonly stack: StackName;
  readonly hasDashboard: boolean;
  /** Whether the setting `zoneMetrics` is on. */
  readonly hasZoneMetrics: boolean;
  /** Whether Nodes change more often than each 15 s, so that each pass runs, and every gauge is above 0 all month. */
  readonly isBusy: boolean;
}
