/** Everything that a wall or a table of nodes shows at one instant. */
import type { EpochMs } from '../../kube/values/time.ts';
import type { NodeLine } from './node-line.ts';
import type { ZoneLine } from './zone-lines.ts';

/** A workload. Its texts have no control characters. */
export interface WorkLine {
  /** In small letters, as kubectl writes it: `deployment`. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly wanted: number;
  readonly ready: number;
}

/** A pod that the scheduler could not place. */
export interface WaitingPod {
  readonly name: string;
  /** Why, by its condition PodScheduled. */
  readonly reason: string;
}

/** Workloads and pods that wait. */
export interface WorkView {
  readonly work: readonly WorkLine[];
  readonly waitingPods: readonly WaitingPod[];
}

/** A roll call at `now` (ms). */
export interface RollCall extends WorkView {
  readonly now: EpochMs;
  /** By zone and name. */
  readonly nodes: readonly NodeLine[];
  readonly zones: readonly ZoneLine[];
  /** Evictions are paused until this instant; 0 if they are not paused. */
  readonly quietUntil: EpochMs;
  /** What has happened since is not known, so nothing is forecast. */
  readonly isPast?: boolean;
}

/** The order of nodes: by zone and name, numbers by their value. */
export const byZoneAndName = (
  a: Pick<NodeLine, 'zone' | 'name'>,
  b: Pick<NodeLine, 'zone' | 'name'>,
): number => NAMES.compare(a.zone, b.zone) || NAMES.compare(a.name, b.name);

const NAMES = new Intl.Collator('en', { numeric: true });
