/** The wall on a terminal: a block for each zone, with a letter for each node, or for each few of them. */

import type { Monitoring } from '../../shared/rules/roll-call/next-steps.ts';
import type { NodeLine } from '../../shared/rules/roll-call/node-line.ts';
import { MARKS, type Mark, marksOf } from '../../shared/rules/roll-call/node-marks.ts';
import type { RollCall } from '../../shared/rules/roll-call/roll-call.ts';
import type { ZoneLine } from '../../shared/rules/roll-call/zone-lines.ts';
import type { Line, Piece } from './styled.ts';
import { forecastFrom, zoneLine, zonesFolded } from './zone-texts.ts';

/** Blank columns before the letters of a zone. */
const INDENT = '  ';
/** How many nodes a letter may stand for. */
const MOST = 10_000;
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, MOST] as const;
const SEVERITY = Object.keys(MARKS) as readonly Mark[];

interface Block {
  readonly zone: ZoneLine;
  /** The marks that count most, in the order of the nodes. */
  readonly marks: readonly Mark[];
}

const heightOf = ({ marks }: Block, step: number, width: number): number =>
  1 + Math.ceil(Math.ceil(marks.length / step) / width);

/** The smallest number of nodes for a letter with which all blocks fit. */
const stepFor = (blocks: readonly Block[], rows: number, width: number): number => {
  const fits = (step: number): boolean =>
    blocks.reduce((sum, block) => sum + heightOf(block, step, width), 0) <= rows;
  return STEPS.find(fits) ?? MOST;
};

/** Of the nodes that share a letter, the one shows that needs a person most. */
const worst = (marks: readonly Mark[]): Mark =>
  marks.reduce((most, mark) => (SEVERITY.indexOf(mark) < SEVERITY.indexOf(most) ? mark : most), 'ready');

const inSteps = (marks: readonly Mark[], step: number): readonly Mark[] =>
  step === 1
    ? marks
    : Array.from({ length: Math.ceil(marks.length / step) }, (_, index) =>
        worst(marks.slice(index * step, (index + 1) * step)),
      );

/** Neighbours with the same look are one piece, so that a screen of letters has few escape sequences. */
const lettersOf = (marks: readonly Mark[]): readonly Piece[] => {
  const pieces: { text: string; mark: Mark }[] = [];
  for (const mark of marks) {
    const last = pieces.at(-1);
    if (last?.mark === mark) last.text += MARKS[mark].letter;
    else pieces.push({ text: MARKS[mark].letter, mark });
  }
  return pieces.map(({ text, mark }) => ({ text, tone: MARKS[mark].tone }));
};

const cellLines = ({ marks }: Block, step: number, width: number): readonly Line[] => {
  const cells = inSteps(marks, step);
  return Array.from({ length: Math.ceil(cells.length / width) }, (_, row) => [
    { text: INDENT },
    ...lettersOf(cells.slice(row * width, (row + 1) * width)),
  ]);
};

/** What the letters mean that are there, and how many nodes each stands for. */
const legendOf = (marks: Iterable<Mark>, step: number): Line => {
  const there = new Set(marks);
  const words = SEVERITY.filter((mark) => there.has(mark)).flatMap((mark): Piece[] => [
    { text: MARKS[mark].letter, tone: MARKS[mark].tone },
    { text: ` ${MARKS[mark].word}` },
    { text: '  ' },
  ]);
  return step === 1 ? words.slice(0, -1) : [...words, { text: `each letter: the worst of ${step} nodes` }];
};

const blocksOf = (view: RollCall, config: Monitoring): readonly Block[] => {
  const byZone = Map.groupBy(view.nodes, ({ zone }) => zone);
  const markOf = (node: NodeLine): Mark => marksOf(node, view.now, config)[0];
  return view.zones.map((zone) => ({ zone, marks: (byZone.get(zone.name) ?? []).map(markOf) }));
};

/** All zones as blocks with a legend, in at most `rows` lines. Without room for letters of all zones, zones are lines, and the last ones one line. */
export const zoneBlocks = (
  view: RollCall,
  config: Monitoring,
  {
    rows,
    columns,
    chosen,
  }: { readonly rows: number; readonly columns: number; readonly chosen?: string | undefined },
): readonly Line[] => {
  const width = Math.max(1, columns - INDENT.length);
  const blocks = blocksOf(view, config);
  if (blocks.length * 2 + 1 > rows) return zonesFolded(view, rows, chosen);
  const step = stepFor(blocks, rows - 1, width);
  return [
    ...blocks.flatMap((block) => [
      zoneLine(block.zone, forecastFrom(view), chosen),
      ...cellLines(block, step, width),
    ]),
    legendOf(
      blocks.flatMap(({ marks }) => marks),
      step,
    ),
  ];
};
