/** What is known of a node and its zone, as it is stored. */
import type { Node } from '../../api/core.ts';
import type { EpochMs } from '../../api/time.ts';
import type { NodeLifecycleConfig } from '../../config/node-lifecycle.ts';
import type { Heartbeats, NodeHealthRow } from '../nodes/node-health.ts';
import type { NoExecuteFacts } from '../nodes/taints.ts';
import type { NodeSettings } from '../policies/policy-settings.ts';
import type { Limiter } from '../zones/rate-limiter.ts';
import { type DisruptionMode, decideDisruption, type RulesOfZone } from '../zones/zone-disruption.ts';
import type { ZoneState } from '../zones/zone-state.ts';

/** A node as it was read. */
export interface KnownNode {
  readonly node: Node;
  readonly row: NodeHealthRow & NoExecuteFacts;
  readonly beats: Heartbeats | undefined;
  /** Silence before this instant does not count; 0: none. */
  readonly clockFloor: EpochMs;
  /** With what policies say about the node. */
  readonly config: NodeLifecycleConfig & Pick<NodeSettings, 'damping'>;
}

/** A zone as the last pass of the monitor and the last token have left it. */
export interface KnownZone {
  readonly id: string;
  readonly key: string;
  readonly state: ZoneState | 'Initial';
  readonly size: number;
  readonly notReady: number;
  readonly limiter: Limiter;
  /** Its own settings hold evictions, see `ZoneDecision`. */
  readonly isHeld?: boolean;
  readonly waiting: readonly string[];
  readonly waitingCount: number;
  readonly updatedAt: EpochMs;
}

/** Whether all zones are down, by what the last pass has counted. */
export const modeOf = (zones: readonly KnownZone[], rules: RulesOfZone): DisruptionMode => {
  const stored = new Map(
    zones.map(({ key, state, limiter, isHeld = false }) => [key, { state, rate: limiter.rate, isHeld }]),
  );
  const counted = new Map(
    zones.map(({ key, size, notReady }) => [key, { ready: size - notReady, notReady }]),
  );
  return decideDisruption(stored, counted, rules, true).mode;
};

/** Whether nothing is tainted because all zones are down. */
export const isAllDown = (zones: readonly KnownZone[], rules: RulesOfZone): boolean =>
  ['enterFullDisruption', 'remainFullDisruption'].includes(modeOf(zones, rules));
