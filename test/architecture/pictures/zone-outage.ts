/** The picture of an outage: a lane per node of the zone, from a run of the simulation. */
import type { Happening } from '../../../simulation/figures/history.ts';
import type { Simulated } from '../../../simulation/simulate.ts';

export interface Outage {
  readonly simulated: Simulated;
  readonly zone: string;
  /** Of the outage, ms since the start of the run. */
  readonly fromMs: number;
  readonly untilMs: number;
}

type Look = 'ready' | 'silent' | 'unknown' | 'tainted';

interface Stretch {
  readonly look: Look;
  readonly from: number;
  readonly to: number;
}

const WIDTH = 880;
const LEFT = 72;
const TOP = 56;
const LANE = 16;
const BAR = 11;
const MARGIN_MS = 60_000;
const LEGEND: readonly (readonly [Look | 'evicted', string])[] = [
  ['ready', 'Ready'],
  ['silent', 'silent, not noticed yet'],
  ['unknown', 'Unknown'],
  ['tainted', 'tainted: its pods leave'],
  ['evicted', 'a pod is evicted'],
];

const STYLE = `
  text { font: 12px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #24292f; }
  .small { font-size: 11px; fill: #57606a; }
  .line { stroke: #d0d7de; }
  .ready { fill: #4c9f70; } .silent { fill: #f2c14e; } .unknown { fill: #e8833a; } .tainted { fill: #c8413b; }
  .evicted { fill: #24292f; stroke: #ffffff; stroke-width: 1.5; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; } .small { fill: #9198a1; } .line { stroke: #3d444d; }
    .evicted { fill: #f0f6fc; stroke: #0d1117; }
  }`;

const LOOK_AFTER = { unknown: 'unknown', tainted: 'tainted', ready: 'ready', untainted: undefined } as const;

const lookAfter = ({ kind }: Happening): Look | undefined =>
  kind in LOOK_AFTER ? LOOK_AFTER[kind as keyof typeof LOOK_AFTER] : undefined;

/** What a node looks like from `start` to `end`; between the outage and the pass that finds it, it is silent. */
const stretchesOf = (
  happenings: readonly Happening[],
  fromMs: number,
  start: number,
  end: number,
): readonly Stretch[] => {
  const looks = happenings.flatMap((one) => {
    const look = lookAfter(one);
    return look === undefined ? [] : [{ look, at: one.at }];
  });
  const points = [
    { look: 'ready' as Look, at: start },
    { look: 'silent' as Look, at: fromMs },
    ...looks.filter(({ at }) => at > fromMs),
  ];
  return points.map(({ look, at }, index) => ({ look, from: at, to: points[index + 1]?.at ?? end }));
};

const minutes = (ms: number): string =>
  `${Math.floor(ms / 60_000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, '0')}`;

const round = (value: number): string => value.toFixed(1).replace('.0', '');

interface Scale {
  readonly start: number;
  readonly end: number;
}

const place = (ms: number, { start, end }: Scale): number =>
  LEFT + ((ms - start) / (end - start)) * (WIDTH - LEFT - 16);

const bar = ({ look, from, to }: Stretch, y: number, scale: Scale): string => {
  const [x, until] = [place(from, scale), place(to, scale)];
  return `<rect class="${look}" x="${round(x)}" y="${y}" width="${round(until - x)}" height="${BAR}" rx="1"/>`;
};

const dot = (ms: number, y: number, scale: Scale): string =>
  `<circle class="evicted" cx="${round(place(ms, scale))}" cy="${y + BAR / 2}" r="3.5"/>`;

const lane = (
  node: string,
  about: readonly Happening[],
  outage: Outage,
  index: number,
  scale: Scale,
): string => {
  const y = TOP + index * LANE;
  const bars = stretchesOf(about, outage.fromMs, scale.start, scale.end).map((one) => bar(one, y, scale));
  const dots = about.filter(({ kind }) => kind === 'evicted').map(({ at }) => dot(at, y, scale));
  return [
    `<text class="small" x="${LEFT - 10}" y="${y + 9}" text-anchor="end">${node}</text>`,
    ...bars,
    ...dots,
  ].join('');
};

const axis = (scale: Scale, y: number): string => {
  const ticks: string[] = [];
  for (let at = Math.ceil(scale.start / 60_000) * 60_000; at <= scale.end; at += 60_000) {
    const x = round(place(at, scale));
    ticks.push(`<line class="line" x1="${x}" x2="${x}" y1="${TOP - 6}" y2="${y}"/>`);
    ticks.push(`<text class="small" x="${x}" y="${y + 16}" text-anchor="middle">${minutes(at)}</text>`);
  }
  return ticks.join('');
};

const legend = (): string => {
  let x = LEFT;
  return LEGEND.map(([look, text]) => {
    const mark =
      look === 'evicted'
        ? `<circle class="evicted" cx="${x + 5}" cy="16" r="4"/>`
        : `<rect class="${look}" x="${x}" y="11" width="11" height="11" rx="1"/>`;
    const item = `${mark}<text x="${x + 17}" y="21">${text}</text>`;
    x += 42 + text.length * 6.4;
    return item;
  }).join('');
};

const byName = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

/** The outage as an SVG, in the order in which its nodes were tainted. */
export const zoneOutagePicture = (outage: Outage): string => {
  const { startAt } = outage.simulated.plan;
  const about = outage.simulated.happenings
    .filter(({ zone }) => zone === outage.zone)
    .map((one) => ({ ...one, at: one.at - startAt }));
  const nodes = [...new Set(about.flatMap((one) => ('node' in one ? [one.node] : [])))].toSorted(byName);
  const taintedAt = (node: string): number =>
    about.find((one) => one.kind === 'tainted' && one.node === node)?.at ?? 0;
  const ordered = nodes.toSorted((a, b) => taintedAt(a) - taintedAt(b));
  const scale = { start: outage.fromMs - MARGIN_MS, end: outage.untilMs + MARGIN_MS };
  const bottom = TOP + nodes.length * LANE;
  const lanes = ordered.map((node, index) =>
    lane(
      node,
      about.filter((one) => 'node' in one && one.node === node && one.at <= scale.end),
      outage,
      index,
      scale,
    ),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${bottom + 44}" role="img" aria-label="Nodes of a zone during an outage">`,
    `<style>${STYLE}</style>`,
    legend(),
    axis(scale, bottom),
    ...lanes,
    `<text class="small" x="${LEFT}" y="${bottom + 36}">minutes; the zone is silent from ${minutes(outage.fromMs)} to ${minutes(outage.untilMs)}</text>`,
    '</svg>',
    '',
  ].join('\n');
};
