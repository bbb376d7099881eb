/** What is known of a node and its zone, as it is stored. */
import type { Node } from '../../api/core.ts';
import type { EpochMs } from '../../api/time.ts';
import type { NodeLifecycleConfig } from '../../config/node-lifecycle.ts';
import type { Heartbeats, NodeHealthRow } from '../nodes/node-health.ts';
import type { NoExecuteFacts } from '../nodes/taints.ts';
import type { LifecycleSettings, NodeSettings } from '../policies/policy-settings.ts';
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
  /** What the settings and the policies say for this node. */
  readonly own: NodeSettings;
  /** Names of the policies that select it, the most specific one first. Empty if the caller may not read policies. */
  readonly policies: readonly string[];
  /** Nodes per second that become Unknown while the zone is disrupted; absent: all at once. */
  readonly pacedRate?: number | undefined;
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
  readonly isHeld?: boolean;
  readonly policies?: string;
  /** When it last changed, and why. */
  readonly changedAt?: EpochMs;
  readonly reason?: string;
}

/** Whether all zones are down, by what the last pass has counted. */
const modeOf = (zones: readonly KnownZone[], settings: LifecycleSettings): DisruptionMode => {
  const stored = new Map(
    zones.map(({ key, state, limiter, ...others }) => [key, { state, rate: limiter.rate, ...others }]),
  );
  const counted = new Map(
    zones.map(({ key, size, notReady }) => [key, { ready: size - notReady, notReady }]),
  );
  return decideDisruption(stored, counted, settings.zone, true).mode;
};

/** Whether nothing is tainted because all zones are down. */
export const isAllDown = (zones: readonly KnownZone[], settings: LifecycleSettings): boolean =>
  ['enterFullDisruption', 'remainFullDisruption'].includes(modeOf(zones, settings));
