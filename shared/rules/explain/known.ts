/** What is known of a node and its zones, as it is stored. */
import type { Node } from '../../kube/types/core.ts';
import type { NodeLifecycleConfig } from '../../settings/node-lifecycle.ts';
import type { Hearing } from '../absences/silence.ts';
import type { Heartbeats, NodeHealthRow } from '../nodes/node-health.ts';
import type { LifecycleSettings, NodeSettings } from '../nodes/policy-settings.ts';
import type { NoExecuteFacts } from '../nodes/taints.ts';
import type { CutOffSite } from '../relays/partition.ts';
import type { ShutdownFacts } from '../shutdown/shutdown-facts.ts';
import { disruptionMode, isStopped } from '../zones/disruption-mode.ts';
import { storedZone, type ZoneFacts } from '../zones/zone-facts.ts';

/** A node as it was read. */
export interface KnownNode {
  readonly node: Node;
  readonly row: NodeHealthRow & NoExecuteFacts & { readonly shutdown?: ShutdownFacts };
  readonly beats: Heartbeats | undefined;
  /** What limits how silence counts. */
  readonly hearing: Hearing;
  /** What the settings and the policies say for this node. */
  readonly own: NodeSettings;
  /** Names of the policies that select it, the most specific one first. Empty if the caller may not read policies. */
  readonly policies: readonly string[];
  /** Nodes per second that become Unknown while the zone is disrupted; absent: all at once. */
  readonly pacedRate?: number | undefined;
  /** The state of its zone in the last pass; absent if no pass has counted it. */
  readonly zoneState?: ZoneFacts['state'] | undefined;
  /** Its site, if that is cut off. */
  readonly cutOff?: Pick<CutOffSite, 'relay' | 'lastBatchAt'>;
  readonly config: NodeLifecycleConfig;
}

/** Whether nothing is tainted because all zones are down, by what the last pass has counted. */
export const isAllDown = (zones: readonly ZoneFacts[], settings: LifecycleSettings): boolean => {
  const stored = new Map(zones.map((zone) => [zone.key, storedZone(zone)]));
  const counted = new Map(
    zones.map(({ key, size, notReady }) => [key, { ready: size - notReady, notReady }]),
  );
  return isStopped(disruptionMode(stored, counted, settings.zone));
};
