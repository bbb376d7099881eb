import type { NodeLifecycleConfig } from '../../settings/node-lifecycle.ts';

/** The state of a zone, which follows from its share of unready nodes. */
export type ZoneState = 'Normal' | 'PartialDisruption' | 'FullDisruption';

/** Nodes of a zone that count for its state: those without the exclude-disruption label. */
export interface ZoneCount {
  readonly ready: number;
  readonly notReady: number;
}

/** A zone with this many or fewer unready nodes is never disrupted, however small it is. */
const MOST_NOT_READY_IN_NORMAL = 2;

/** Divides and compares in 32 bits, as Kubernetes does; otherwise a share exactly at the threshold would differ. */
const isAtLeast = (part: number, whole: number, threshold: number): boolean =>
  Math.fround(part / whole) >= Math.fround(threshold);

/** The state of a zone by its node counts. Source: kubernetes v1.34 nodelifecycle `ComputeZoneState`. */
export const computeZoneState = (
  { ready, notReady }: ZoneCount,
  { unhealthyZoneThreshold }: Pick<NodeLifecycleConfig, 'unhealthyZoneThreshold'>,
): ZoneState => {
  if (ready === 0 && notReady > 0) return 'FullDisruption';
  const isPartial =
    notReady > MOST_NOT_READY_IN_NORMAL && isAtLeast(notReady, ready + notReady, unhealthyZoneThreshold);
  return isPartial ? 'PartialDisruption' : 'Normal';
};
