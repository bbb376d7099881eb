/** Why the state or the rate of a zone changed, as a short text for people. */

import type { DisruptionMode } from './disruption-mode.ts';
import type { StoredZone } from './eviction-rate.ts';
import type { ZoneDecision } from './zone-disruption.ts';
import type { ZoneRules } from './zone-rules.ts';

const percent = (share: number): string => `${Number((share * 100).toPrecision(4))} %`;

const inFullDisruption = ({ isHeld }: ZoneDecision): string =>
  isHeld ? 'no node is ready; a policy holds evictions' : 'no node is ready';

const stateReason = (
  mode: DisruptionMode,
  decision: ZoneDecision,
  stored: StoredZone | undefined,
  { unhealthyZoneThreshold }: ZoneRules,
): string => {
  const { state, size, notReady } = decision;
  if (mode === 'enterFullDisruption') return 'no node of any zone is ready';
  if (state === 'FullDisruption') return inFullDisruption(decision);
  if (state === 'PartialDisruption')
    return `${notReady} of ${size} nodes are not ready, at least ${percent(unhealthyZoneThreshold)}`;
  if (!stored) return 'the zone is new';
  return notReady === 0 ? 'all nodes are ready' : `${size - notReady} of ${size} nodes are ready`;
};

/**
 * Why the zone is another one than the stored one; `undefined`: state, rate and policies are the same.
 */
export const zoneChange = (
  mode: DisruptionMode,
  decision: ZoneDecision,
  stored: StoredZone | undefined,
  rules: ZoneRules,
): string | undefined => {
  if (stored?.state !== decision.state) return stateReason(mode, decision, stored, rules);
  if (stored.policies !== decision.policies)
    return decision.policies === undefined ? 'no policy holds any more' : `policy ${decision.policies} holds`;
  if (stored.rate === decision.rate) return undefined;
  if (mode === 'enterFullDisruption' || mode === 'leaveFullDisruption')
    return stateReason(mode, decision, stored, rules);
  return 'the settings changed';
};
