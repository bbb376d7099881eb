/** How many nodes of a zone may be tainted, and why so many. */
import type { ZoneFacts } from '../../zones/zone-facts.ts';
import type { Fact } from '../explanation.ts';

/** No node of any zone is tainted, and taints of silence are removed. */
export const ALL_ZONES_DOWN: Fact = { fact: 'AllZonesDown', source: 'zones', rule: 'Z-04' };

const ruleOf = ({ state, limiter, isHeld }: ZoneFacts, isAllDown: boolean): string => {
  if (isAllDown) return 'Z-04';
  if (isHeld) return 'Z-26';
  if (state !== 'PartialDisruption') return 'Z-09';
  return limiter.rate > 0 ? 'Z-10' : 'Z-11';
};

/** The rate of the zone, which follows from its state. */
export const rateFact = (zone: ZoneFacts, isAllDown: boolean, source: string): Fact => ({
  fact: 'ZoneRate',
  values: { rate: zone.limiter.rate, state: zone.state },
  source,
  rule: ruleOf(zone, isAllDown),
});
