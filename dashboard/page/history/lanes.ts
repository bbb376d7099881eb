/** Where the history is drawn: instants as places, counts as areas. Pure. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { Gap } from '../../../shared/rules/history/record.ts';
import type { ZoneCounts, ZoneStep } from '../../../shared/rules/history/zone-steps.ts';

/** A time that is drawn over so many pixels. */
export interface Scale {
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly width: number;
}

/** The place of an instant, in whole tenths of a pixel. */
export const xOf = ({ from, to, width }: Scale, at: EpochMs): number => {
  const share = to > from ? (Math.min(to, Math.max(from, at)) - from) / (to - from) : 1;
  return Math.round(share * width * 10) / 10;
};

/** The instant of a place. */
export const instantAt = ({ from, to, width }: Scale, x: number): EpochMs =>
  Math.round(from + (Math.min(width, Math.max(0, x)) / Math.max(1, width)) * (to - from));

/** How many nodes a zone has. */
export const sizeOf = ({ ready, notReady, unknown, silent }: ZoneCounts): number =>
  ready + notReady + unknown + silent;

/**
 * The outline of an area that stands on the bottom of a lane: from each step on it is as high as the share that `part` gives, above that of `below`.
 */
export const areaPath = (
  steps: readonly ZoneStep[],
  scale: Scale,
  height: number,
  part: (counts: ZoneCounts) => number,
  below: (counts: ZoneCounts) => number = () => 0,
): string => {
  const levelOf = (count: number, step: ZoneStep): number =>
    Math.round((1 - count / Math.max(1, sizeOf(step))) * height * 10) / 10;
  return steps
    .flatMap((step, place) => {
      if (part(step) === 0) return [];
      const [x, end] = [xOf(scale, step.at), xOf(scale, steps[place + 1]?.at ?? scale.to)];
      const [bottom, top] = [levelOf(below(step), step), levelOf(below(step) + part(step), step)];
      return [`M${x} ${bottom}V${top}H${Math.max(end, x + 1)}V${bottom}Z`];
    })
    .join('');
};

/** Bars of the times of which nothing is known, as place and width. */
export const gapBars = (
  gaps: readonly Gap[],
  scale: Scale,
): readonly (readonly [x: number, width: number])[] =>
  gaps
    .filter(({ from, to }) => to > scale.from && from < scale.to)
    .map(({ from, to }) => [xOf(scale, from), Math.max(2, xOf(scale, to) - xOf(scale, from))]);

/** Round steps between labels of a time axis, ms. */
const STEPS = [5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200].map((seconds) => seconds * 1000);
const LEAST_PIXELS = 90;

/** Instants for labels of the axis. */
export const axisInstants = (scale: Scale): readonly EpochMs[] => {
  const most = Math.max(1, Math.floor(scale.width / LEAST_PIXELS));
  const step = STEPS.find((one) => (scale.to - scale.from) / one <= most) ?? 7_200_000;
  const first = Math.ceil(scale.from / step) * step;
  const count = Math.max(0, Math.floor((scale.to - first) / step) + 1);
  return Array.from({ length: count }, (_, place) => first + place * step);
};
