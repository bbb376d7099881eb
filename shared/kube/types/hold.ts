/** rollcall.dev/v1 Hold: what the control plane must not do for now, to which nodes. */
import type { ApiObject, Condition, LabelSelector } from './meta.ts';

/** What a Hold can stop. */
export const HOLD_CLASSES = [
  'NoExecute',
  'Tolerations',
  'Drains',
  'Maintenance',
  'Fencing',
  'NodeDeletion',
  'Repair',
  'ClientEvictions',
] as const;
export type HoldClass = (typeof HOLD_CLASSES)[number];

/** What a Hold stops that does not say so: all but what autoscalers and people do through the eviction subresource. */
export const DEFAULT_STOPS: readonly HoldClass[] = HOLD_CLASSES.filter((one) => one !== 'ClientEvictions');

export interface HoldSpec {
  /** Names of Zones; absent: all. */
  readonly zones?: readonly string[];
  /** Labels of nodes; absent: all. */
  readonly nodeSelector?: LabelSelector;
  readonly stops?: readonly HoldClass[];
  readonly reason?: string;
  /** Whom to ask, for people. */
  readonly owner?: string;
  /** When it ends by itself, RFC 3339; absent: when it is deleted. */
  readonly until?: string;
  readonly [field: string]: unknown;
}

export interface HoldStatus {
  /** The user who made it. */
  readonly by?: string;
  /** Of the book in which it stands. */
  readonly epoch?: number;
  /** Since when it is in force, RFC 3339. */
  readonly since?: string;
  /** Nodes for which it holds. */
  readonly heldNodes?: number;
  readonly conditions?: readonly Condition[];
}

export interface Hold extends ApiObject {
  readonly spec?: HoldSpec;
  readonly status?: HoldStatus;
}
