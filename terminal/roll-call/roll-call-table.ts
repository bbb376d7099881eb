/** Nodes in columns, workloads and next steps as lines. Only cells are cut here, not lines. */

import { type Monitoring, nextSteps } from '../../shared/rules/roll-call/next-steps.ts';
import type { NodeLine } from '../../shared/rules/roll-call/node-line.ts';
import { MARKS, marksOf } from '../../shared/rules/roll-call/node-marks.ts';
import type { RollCall, WorkLine } from '../../shared/rules/roll-call/roll-call.ts';
import { situation } from '../../shared/rules/roll-call/situation.ts';
import { ageText, timeOfDay, untilText } from '../../shared/rules/roll-call/units.ts';
import { folded } from './folded.ts';
import { type Line, lineOf } from './styled.ts';
import { cut, displayWidth, padded } from './terminal-text.ts';

/** Columns that the name of a zone or node may take before it is cut: a third of the terminal. */
const NAME_SHARE = 1 / 3;
const LEAST_NAME = 8;
const GAP = '  ';

/** Number of pods, such as `3 +1 leaving`. */
export const podsText = ({ pods, leaving }: Pick<NodeLine, 'pods' | 'leaving'>): string =>
  leaving.length === 0 ? String(pods) : `${pods} +${leaving.length} leaving`;

/** Taints grouped by key, such as `unreachable:NoSchedule,NoExecute`. */
const taintsText = (taints: readonly string[]): string => {
  const byKey = Map.groupBy(taints, (taint) => taint.slice(0, taint.lastIndexOf(':')));
  const texts = [...byKey].map(
    ([key, all]) => `${key}:${all.map((taint) => taint.slice(key.length + 1)).join(',')}`,
  );
  return texts.join(' ') || '-';
};

const HEAD = ['ZONE', 'NODE', 'STATE', 'LAST BEAT', 'PODS', 'TAINTS'];
/** The place of the state among the cells. */
const STATE = 2;

/** What a table needs to know besides the nodes. */
export interface Table {
  readonly config: Monitoring;
  /** Of the terminal. */
  readonly columns: number;
  /** The node at which the keys point. */
  readonly chosen?: string | undefined;
}

interface Row {
  readonly node: NodeLine;
  readonly cells: readonly string[];
}

const rowOf = (node: NodeLine, { config, columns }: Table, now: number): Row => {
  const most = Math.max(LEAST_NAME, Math.floor(columns * NAME_SHARE));
  const words = marksOf(node, now, config)
    .filter((mark, index) => mark !== 'tainted' || index === 0)
    .map((mark) => MARKS[mark].word);
  const beat = node.beatAt === undefined ? '-' : ageText(now - node.beatAt);
  const names = [cut(node.zone, most), cut(node.name, most)];
  return { node, cells: [...names, words.join(', '), beat, podsText(node), taintsText(node.taints)] };
};

const widthsOf = (rows: readonly (readonly string[])[]): readonly number[] =>
  HEAD.map((head, column) =>
    rows.reduce((most, cells) => Math.max(most, displayWidth(cells[column] ?? '')), head.length),
  );

const inColumns = (cells: readonly string[], widths: readonly number[]): readonly string[] =>
  cells.map((cell, column) => (column === cells.length - 1 ? cell : padded(cell, widths[column] ?? 0) + GAP));

const lineOfRow = (
  { node, cells }: Row,
  widths: readonly number[],
  { config, chosen }: Table,
  now: number,
): Line => {
  const texts = inColumns(cells, widths);
  if (node.name === chosen) return lineOf(texts.join(''), 'chosen');
  const { tone } = MARKS[marksOf(node, now, config)[0]];
  return texts.map((text, column) => ({ text, tone: column === STATE ? tone : undefined }));
};

const isPlain = ({ ready, taints, leaving }: NodeLine): boolean =>
  ready === 'True' && taints.length === 0 && leaving.length === 0;

const restText = (left: readonly NodeLine[]): string => {
  const others = left.filter((node) => !isPlain(node)).length;
  return `… and ${left.length} more${others === 0 ? ', ready' : `, ${others} of them not ready or tainted`}`;
};

/** The nodes in at most `rows` lines, head and last line included. */
export const nodeTable = (
  { nodes, now }: Pick<RollCall, 'nodes' | 'now'>,
  rows: number,
  table: Table,
): readonly Line[] => {
  if (nodes.length === 0 || rows < 2) return [];
  const { chosen } = table;
  const { shown, rest } = folded(
    nodes,
    rows - 1,
    [({ name }) => name === chosen, (node) => !isPlain(node)],
    restText,
  );
  const all = shown.map((node) => rowOf(node, table, now));
  const widths = widthsOf(all.map(({ cells }) => cells));
  return [
    lineOf(inColumns(HEAD, widths).join(''), 'strong'),
    ...all.map((row) => lineOfRow(row, widths, table, now)),
    ...rest.map((text) => lineOf(text)),
  ];
};

/** How many pods of a workload are ready. */
export const workText = ({ kind, name, wanted, ready }: WorkLine): string =>
  `${kind} ${name}: ${ready} of ${wanted} ready`;

const isBroken = ({ wanted, ready }: WorkLine): boolean => ready < wanted;

/** The workloads in at most `rows` lines. */
export const workLines = (work: readonly WorkLine[], rows: number): readonly Line[] => {
  const { shown, rest } = folded(work, rows, [isBroken], (left) => {
    const broken = left.filter(isBroken).length;
    return `… and ${left.length} more workloads${broken === 0 ? ', all ready' : `, ${broken} of them not all ready`}`;
  });
  return [
    ...shown.map((one) => lineOf(workText(one), isBroken(one) ? 'warning' : undefined)),
    ...rest.map((text) => lineOf(text)),
  ];
};

/** Steps that are further ahead (ms) are told with the time of day. */
const SOON_MS = 100_000;

const whenText = (at: number, now: number): string =>
  at - now < SOON_MS ? untilText(at, now) : `${untilText(at, now)} (${timeOfDay(at)})`;

/** The situation and the next steps, most important first. Of the past there are none. */
export const nextLines = (view: RollCall, config: Monitoring): readonly Line[] => {
  if (view.isPast) return [];
  return [
    ...situation(view, config).map((text) => lineOf(text, 'strong')),
    ...nextSteps(view, config).map(
      ({ at, text }): Line => [{ text: `${whenText(at, view.now)} `, tone: 'notice' }, { text }],
    ),
  ];
};
