/** Text of at most 100 columns. */

/** Columns of the widest line. */
const WIDTH = 100;

/** The lines of a paragraph, each of at most `width` columns unless one word is longer. */
export const wrapped = (text: string, width = WIDTH): readonly string[] => {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`;
    if (lines.length === 0 || longer.length > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
};

/** A label and what is said of it. */
export type Row = readonly [label: string, text: string];

/** A longer label has a line of its own. */
const MAX_LABEL = 30;
const INDENT = 2;
const GAP = 2;

/** Columns before the text of the rows. */
const columnOf = (rows: readonly Row[]): number => {
  const widths = rows.map(([label]) => label.length).filter((width) => width <= MAX_LABEL);
  return INDENT + Math.max(0, ...widths) + GAP;
};

const rowLines = ([label, text]: Row, column: number): readonly string[] => {
  const [first = '', ...others] = wrapped(text, WIDTH - column);
  const start = `${' '.repeat(INDENT)}${label}`;
  const below = (line: string): string => `${' '.repeat(column)}${line}`;
  if (start.length + GAP > column) return [start, ...[first, ...others].map(below)];
  return [`${start.padEnd(column)}${first}`, ...others.map(below)];
};

/** The lines of rows whose texts begin in one column. `all`: the rows of the same table, by default these. */
export const rowsOf = (rows: readonly Row[], all: readonly Row[] = rows): readonly string[] =>
  rows.flatMap((row) => rowLines(row, columnOf(all)));
