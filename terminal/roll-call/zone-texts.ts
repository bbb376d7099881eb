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

/** Who gets the next taints of the zone, and when. */
const queueText = (zone: ZoneLine, now: number): string => {
  if (!isQueue(zone)) return '';
  const named = zone.waiting.slice(0, NAMED).flatMap((node, ahead) => {
    const at = slotOf(zone, ahead, now);
    return at === undefined ? [] : [`${node} ${untilText(at, now)}`];
  });
  return `, ${zone.waiting.length} wait: ${named.join(', ')}${zone.waiting.length > NAMED ? ', …' : ''}`;
};

const toneOf = ({ state, ready, size }: ZoneLine): Tone | undefined => {
  if (state === 'FullDisruption' || ready === 0) return 'bad';
  return state === 'PartialDisruption' || ready < size ? 'warning' : undefined;
};

/** The line of a zone with its waiting line. `chosen`: the zone at which the keys point. */
export const zoneLine = (zone: ZoneLine, now: number, chosen?: string): Line =>
  lineOf(`${standing(zone)}${queueText(zone, now)}`, zone.name === chosen ? 'chosen' : toneOf(zone));

const isQuiet = ({ state, ready, size }: ZoneLine): boolean => state === 'Normal' && ready === size;

/** The zones in at most `rows` lines, those with problems and the chosen one first. */
export const zonesFolded = (
  { zones, now }: Pick<RollCall, 'zones' | 'now'>,
  rows: number,
  chosen?: string,
): readonly Line[] => {
  const { shown, rest } = folded(
    zones,
    rows,
    [({ name }) => name === chosen, (zone) => !isQuiet(zone)],
    (left) => {
      const nodes = left.reduce((sum, { size }) => sum + size, 0);
      const ready = left.reduce((sum, zone) => sum + zone.ready, 0);
      return `… and ${left.length} more zones: ${ready} of ${nodes} nodes ready`;
    },
  );
  return [...shown.map((zone) => zoneLine(zone, now, chosen)), ...rest.map((text) => lineOf(text))];
};
