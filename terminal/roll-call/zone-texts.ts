/** Zones as lines: state, share, rate, and who is next. */
import type { RollCall } from '../../shared/rules/roll-call/roll-call.ts';
import { rateText, untilText } from '../../shared/rules/roll-call/units.ts';
import { slotOf, type ZoneLine } from '../../shared/rules/roll-call/zone-lines.ts';
import { folded } from './folded.ts';
import { type Line, lineOf, type Tone } from './styled.ts';

const paceText = ({ rate, state }: ZoneLine): string => {
  if (state === 'Initial') return 'no pass yet';
  return rate === 0 ? 'no evictions' : rateText(rate);
};

const percent = ({ ready, size }: ZoneLine): string => `${Math.floor((100 * ready) / size)}%`;

const standing = (zone: ZoneLine): string =>
  `zone ${zone.name}: ${zone.state}, ${zone.ready} of ${zone.size} ready (${percent(zone)}), ${paceText(zone)}`;

const isQueue = ({ waiting, rate }: ZoneLine): boolean => waiting.length > 0 && rate > 0;

/** A zone as it is told in a log: without what the clock alone changes. */
export const zoneText = (zone: ZoneLine): string =>
  isQueue(zone) ? `${standing(zone)}, ${zone.waiting.length} waiting for a NoExecute taint` : standing(zone);

/** Nodes of the waiting line that a zone names. */
const NAMED = 3;

const waitText = ({ waiting: { length } }: ZoneLine): string =>
  `${length} ${length === 1 ? 'waits' : 'wait'}`;

/** Who gets the next taints of the zone, and when. `now` absent: when is not known. */
const queueText = (zone: ZoneLine, now: number | undefined): string => {
  if (!isQueue(zone)) return '';
  if (now === undefined) return `, ${waitText(zone)}`;
  const named = zone.waiting.slice(0, NAMED).flatMap((node, ahead) => {
    const at = slotOf(zone, ahead, now);
    return at === undefined ? [] : [`${node} ${untilText(at, now)}`];
  });
  return `, ${waitText(zone)}: ${named.join(', ')}${zone.waiting.length > NAMED ? ', …' : ''}`;
};

const toneOf = ({ state, ready, size }: ZoneLine): Tone | undefined => {
  if (state === 'FullDisruption' || ready === 0) return 'bad';
  return state === 'PartialDisruption' || ready < size ? 'warning' : undefined;
};

/** The instant (ms) from which a roll call forecasts; absent: it does not. */
export const forecastFrom = ({ now, isPast }: Pick<RollCall, 'now' | 'isPast'>): number | undefined =>
  isPast ? undefined : now;

/** The line of a zone with its waiting line. `now`: see `forecastFrom`. `chosen`: the zone at which the keys point. */
export const zoneLine = (zone: ZoneLine, now: number | undefined, chosen?: string): Line =>
  lineOf(`${standing(zone)}${queueText(zone, now)}`, zone.name === chosen ? 'chosen' : toneOf(zone));

const isQuiet = ({ state, ready, size }: ZoneLine): boolean => state === 'Normal' && ready === size;

/** The zones in at most `rows` lines, those with problems and the chosen one first. */
export const zonesFolded = (
  view: Pick<RollCall, 'zones' | 'now' | 'isPast'>,
  rows: number,
  chosen?: string,
): readonly Line[] => {
  const { shown, rest } = folded(
    view.zones,
    rows,
    [({ name }) => name === chosen, (zone) => !isQuiet(zone)],
    (left) => {
      const nodes = left.reduce((sum, { size }) => sum + size, 0);
      const ready = left.reduce((sum, zone) => sum + zone.ready, 0);
      return `… and ${left.length} more zones: ${ready} of ${nodes} nodes ready`;
    },
  );
  return [
    ...shown.map((zone) => zoneLine(zone, forecastFrom(view), chosen)),
    ...rest.map((text) => lineOf(text)),
  ];
};
