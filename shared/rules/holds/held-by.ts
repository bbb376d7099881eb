/** Whether a hold stops something. */
import { selects } from '../../kube/selector/object-selector.ts';
import type { HoldClass } from '../../kube/types/hold.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { type Labels, zoneIdOf, zoneKeyOf } from '../zones/zone-names.ts';
import { type ActiveHold, type HoldBook, type HoldScope, isStanding } from './hold-book.ts';

/** The node to which something is to be done, by its labels; `undefined`: they are not known, because its Node is gone. */
export type HoldTarget = { readonly labels: Labels } | undefined;

/** The target that a Node is. */
export const targetOf = ({ metadata }: { readonly metadata: { readonly labels?: Labels } }): HoldTarget => ({
  labels: metadata.labels ?? {},
});

/** Whether a zone (its key) is one of these; `undefined`: of all. */
export const isInZones = (zones: readonly string[] | undefined, key: string): boolean =>
  zones === undefined || zones.includes(zoneIdOf(key));

/** Whether a hold is about this node. One that is not known is covered by every hold. */
export const covers = (
  { zones, nodeSelector }: Pick<HoldScope, 'zones' | 'nodeSelector'>,
  target: HoldTarget,
): boolean => {
  if (!target) return true;
  return (
    isInZones(zones, zoneKeyOf(target.labels)) &&
    (nodeSelector === undefined || selects(nodeSelector, target.labels))
  );
};

/** Whether a hold is about this class of things for this node. */
export const concerns = (hold: HoldScope, stops: HoldClass, target: HoldTarget): boolean =>
  hold.stops.includes(stops) && covers(hold, target);

/** The first hold that stops this class of things for this node at `now` (ms); `undefined`: none does. */
export const heldBy = (
  { active }: HoldBook,
  stops: HoldClass,
  target: HoldTarget,
  now: EpochMs,
): ActiveHold | undefined => active.find((hold) => isStanding(hold, now) && concerns(hold, stops, target));
