/** What is known of a node and its zone, as it is stored. */
import type { Node } from '../../api/core.ts';
import type { EpochMs } from '../../api/time.ts';
import type { NodeLifecycleConfig } from '../../config/node-lifecycle.ts';
import type { Heartbeats, NodeHealthRow } from '../nodes/node-health.ts';
import type { NoExecuteFacts } from '../nodes/taints.ts';
import type { Limiter } from '../zones/rate-limiter.ts';
import { type DisruptionMode, decideDisruption } from '../zones/zone-disruption.ts';
import type { ZoneState } from '../zones/zone-state.ts';

/** A node as it was read. */
export interface KnownNode {
  readonly node: Node;
  readonly row: NodeHealthRow & NoExecuteFacts;
  readonly beats: Heartbeats | undefined;
  /** Silence before this instant does not count; 0: none. */
  readonly clockFloor: EpochMs;
  readonly config: NodeLifecycleConfig;
}

/** A zone as the last pass of the monitor and the last token have left it. */
export interface KnownZone {
  readonly id: string;
  readonly key: string;
  readonly state: ZoneState | 'Initial';
  readonly size: number;
  readonly notReady: number;
  readonly limiter: Limiter;
  readonly waiting: readonly string[];
  readonly waitingCount: number;
  readonly updatedAt: EpochMs;
}

/** Whether all zones are down, by what the last pass has counted. */
export const modeOf = (zones: readonly KnownZone[], config: NodeLifecycleConfig): DisruptionMode => {
  const stored = new Map(zones.map(({ key, state, limiter }) => [key, { state, rate: limiter.rate }]));
  const counted = new Map(
    zones.map(({ key, size, notReady }) => [key, { ready: size - notReady, notReady }]),
  );
  return decideDisruption(stored, counted, () => config, true).mode;
};

/** Whether nothing is tainted because all zones are down. */
export const isAllDown = (zones: readonly KnownZone[], config: NodeLifecycleConfig): boolean =>
  ['enterFullDisruption', 'remainFullDisruption'].includes(modeOf(zones, config));
