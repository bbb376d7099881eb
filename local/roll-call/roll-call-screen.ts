/** The layout of the terminal: distributes the available lines to the sections by importance. */
import type { NodeLifecycleConfig } from '../../shared/config/node-lifecycle.ts';
import { nextTexts, nodeLines, workTexts, zoneTexts } from './roll-call-table.ts';
import type { RollCall } from './roll-call-view.ts';
import { cut } from './terminal-text.ts';

/** The size of a terminal. */
export interface Terminal {
  readonly rows: number;
  readonly columns: number;
}

/** The text around the roll call. */
export interface Surroundings {
  readonly header: readonly string[];
  /** What to try next, the most important line first. */
  readonly footer: readonly string[];
  /** The latest lines of the host's log, the newest last. */
  readonly recent: readonly string[];
}

const SECTIONS = ['header', 'zones', 'nodes', 'work', 'next', 'recent', 'footer'] as const;
type Section = (typeof SECTIONS)[number];
type Heights = Record<Section, number>;

/** The order in which sections get further lines, and the maximum for each. */
const TURNS: readonly (readonly [Section, number])[] = [
  ['header', 1],
  ['next', 1],
  ['nodes', 3],
  ['zones', 2],
  ['next', 3],
  ['zones', 4],
  ['work', 3],
  ['nodes', 13],
  ['footer', 1],
  ['next', 5],
  ['header', 9],
  ['zones', 8],
  ['work', 8],
  ['footer', 9],
  ['recent', 6],
  ['next', 10],
  ['nodes', Number.POSITIVE_INFINITY],
  ['zones', Number.POSITIVE_INFINITY],
];

/** The height of each section. Empty lines separate the sections, except after the header. */
const heightsOf = (wanted: Heights, rows: number): Heights => {
  const heights: Heights = { header: 0, zones: 0, nodes: 0, work: 0, next: 0, recent: 0, footer: 0 };
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

/** The lines of the screen: at most `rows` − 1, because the last row is for the cursor, and of at most `columns` columns. */
export const screenLines = (
  view: RollCall,
  config: NodeLifecycleConfig,
  { header, footer, recent }: Surroundings,
  { rows, columns }: Terminal,
): readonly string[] => {
  const next = nextTexts(view, config);
  const wanted = {
    header: header.length,
    zones: view.zones.length,
    nodes: view.nodes.length === 0 ? 0 : view.nodes.length + 1,
    work: view.work.length,
    next: next.length,
    recent: recent.length,
    footer: footer.length,
  };
  const heights = heightsOf(wanted, rows - 1);
  const sections: Readonly<Record<Section, readonly string[]>> = {
    header: header.slice(0, heights.header),
    zones: heights.zones === 0 ? [] : zoneTexts(view.zones, heights.zones),
    nodes: heights.nodes < 2 ? [] : nodeLines(view.nodes, heights.nodes, columns),
    work: heights.work === 0 ? [] : workTexts(view.work, heights.work),
    next: next.slice(0, heights.next),
    recent: heights.recent === 0 ? [] : recent.slice(-heights.recent),
    footer: footer.slice(0, heights.footer),
  };
  const parted = SECTIONS.filter((one) => sections[one].length > 0).flatMap((one, index) =>
    index < 2 ? sections[one] : ['', ...sections[one]],
  );
  return parted.slice(0, rows - 1).map((line) => cut(line, columns));
};
