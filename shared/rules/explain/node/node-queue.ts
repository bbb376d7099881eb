/** The place of a node among those of its zone that wait for a NoExecute taint, and when its turn comes. */
import type { EpochMs } from '../../../kube/values/time.ts';
import type { ZoneFacts } from '../../zones/zone-facts.ts';
import type { Fact, Next } from '../explanation.ts';
import { hiddenFact } from '../hidden.ts';
import { ALL_ZONES_DOWN, rateFact } from '../zone/zone-rate.ts';
import { slotBehind } from '../zone/zone-slot.ts';

/** What is known of the zone of a node: as the last pass has left it, that the caller may not read it, or nothing yet. */
export type ZoneOfNode = CountedZone | 'hidden' | undefined;

/** A zone, and the place of the node among those that wait for their taint. */
export interface CountedZone {
  readonly zone: ZoneFacts;
  /** How many nodes get their taint first; at least so many if that is not sure. */
  readonly ahead: number;
  /** Whether no more nodes than these come first: the zone lists the node, and the next pass finds it in the same place. */
  readonly isSure: boolean;
  /** All zones are down, so no node is tainted. */
  readonly isAllDown: boolean;
}

const placeFact = ({ zone, ahead, isSure }: CountedZone): Fact => ({
  ...(isSure
    ? { fact: 'PlaceInZone', values: { place: ahead + 1, waiting: zone.waitingCount } }
    : { fact: 'BehindOthers', values: { ahead, waiting: zone.waitingCount } }),
  source: `zone ${zone.id} waiting`,
  rule: 'A-11',
});

const countedFacts = (of: CountedZone): readonly Fact[] => {
  const { id, limiter } = of.zone;
  const source = `zone ${id} limiter`;
  const rate = rateFact(of.zone, of.isAllDown, source);
  if (of.isAllDown) return [ALL_ZONES_DOWN, rate];
  if (limiter.rate <= 0) return [rate];
  return [rate, placeFact(of), { fact: 'NextSlot', at: limiter.nextAt, source, rule: 'L-01' }];
};

/** The facts about the queue of the zone. */
export const queueFacts = (of: ZoneOfNode): readonly Fact[] => {
  if (of === 'hidden') return [hiddenFact('zones')];
  return of ? countedFacts(of) : [{ fact: 'NotCountedYet', source: 'zones', rule: 'Z-15' }];
};

/** When the turn of the node comes; if its place is not sure, not before that. */
export const slotOf = (
  { zone, ahead, isSure }: CountedZone,
  withinMs: number,
  now: EpochMs,
): Next | undefined => {
  const at = slotBehind(zone.limiter, ahead, now);
  return at === undefined ? undefined : { verdict: 'Tainted', at, ...(isSure ? { withinMs } : {}) };
};
