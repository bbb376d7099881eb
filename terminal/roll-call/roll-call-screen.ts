/** The layout of the terminal: distributes the available lines to the sections by importance. */
import type { Monitoring } from '../../shared/rules/roll-call/next-steps.ts';
import type { RollCall } from '../../shared/rules/roll-call/roll-call.ts';
import { nextLines, nodeTable, workLines } from './roll-call-table.ts';
import { fitted, type Line, lineOf } from './styled.ts';
import { zoneBlocks } from './zone-blocks.ts';
import { forecastFrom, zoneLine } from './zone-texts.ts';

/** The size of a terminal. */
export interface Terminal {
  readonly rows: number;
  readonly columns: number;
}

/** The text around the roll call. */
export interface Surroundings {
  readonly header: readonly Line[];
  /** What to try next, the most important line first. */
  readonly footer: readonly Line[];
  /** The latest lines of the host's log, the newest last. */
  readonly recent: readonly string[];
  /** The zone at which the keys point. */
  readonly chosen?: string | undefined;
}

const SECTIONS = ['header', 'fleet', 'work', 'next', 'recent', 'footer'] as const;
type Section = (typeof SECTIONS)[number];
type Heights = Record<Section, number>;

/** The order in which sections get further lines, and the maximum for each. */
const TURNS: readonly (readonly [Section, number])[] = [
  ['header', 1],
  ['next', 1],
  ['footer', 1],
  ['fleet', 6],
  ['next', 3],
  ['fleet', 17],
  ['work', 3],
  ['next', 5],
  ['header', 9],
  ['work', 8],
  ['footer', 9],
  ['recent', 6],
  ['next', 10],
  ['fleet', Number.POSITIVE_INFINITY],
];

/** The height of each section. Empty lines separate the sections, except after the header. */
const heightsOf = (wanted: Heights, rows: number): Heights => {
  const heights: Heights = { header: 0, fleet: 0, work: 0, next: 0, recent: 0, footer: 0 };
  const gaps = (): number => Math.max(0, SECTIONS.filter((one) => heights[one] > 0).length - 2);
  let left = rows;
  for (const [section, most] of TURNS) {
    const before = gaps();
    const had = heights[section];
    const more = Math.min(most, wanted[section]) - had;
    if (more <= 0) continue;
    heights[section] += more;
    const gap = gaps() - before;
    const given = Math.min(more, left - gap);
    heights[section] = given > 0 ? had + given : had;
    if (given > 0) left -= given + gap;
  }
  return heights;
};

/** Lines that zones, an empty one, and the table of all nodes take. */
const tableHeight = ({ nodes, zones }: RollCall): number =>
  nodes.length === 0 ? 0 : zones.length + 1 + 1 + nodes.length;

/** Zones and all nodes in a table if there is room for that, otherwise the wall. */
const fleetLines = (
  view: RollCall,
  config: Monitoring,
  room: { readonly rows: number; readonly columns: number; readonly chosen?: string | undefined },
): readonly Line[] => {
  if (view.nodes.length === 0 || room.rows < 1) return [];
  if (tableHeight(view) > room.rows) return zoneBlocks(view, config, room);
  const zones = view.zones.map((zone) => zoneLine(zone, forecastFrom(view), room.chosen));
  return [...zones, lineOf(''), ...nodeTable(view, room.rows, { config, columns: room.columns })];
};

/** The lines of the screen: at most `rows`, of at most `columns` columns. */
export const screenLines = (
  view: RollCall,
  config: Monitoring,
  { header, footer, recent, chosen }: Surroundings,
  { rows, columns }: Terminal,
): readonly Line[] => {
  const next = nextLines(view, config);
  const wanted = {
    header: header.length,
    fleet: tableHeight(view),
    work: view.work.length,
    next: next.length,
    recent: recent.length,
    footer: footer.length,
  };
  const heights = heightsOf(wanted, rows);
  const sections: Readonly<Record<Section, readonly Line[]>> = {
    header: header.slice(0, heights.header),
    fleet: fleetLines(view, config, { rows: heights.fleet, columns, chosen }),
    work: heights.work === 0 ? [] : workLines(view.work, heights.work),
    next: next.slice(0, heights.next),
    recent: heights.recent === 0 ? [] : recent.slice(-heights.recent).map((text) => lineOf(text, 'muted')),
    footer: footer.slice(0, heights.footer),
  };
  const parted = SECTIONS.filter((one) => sections[one].length > 0).flatMap((one, index) =>
    index < 2 ? sections[one] : [lineOf(''), ...sections[one]],
  );
  return parted.slice(0, rows).map((line) => fitted(line, columns));
};
