/** Lines of a terminal: text in pieces, each with a tone. Colours are added last, so that nothing else has to measure around them. */
import type { MarkLook } from '../../shared/rules/roll-call/node-marks.ts';
import { cut, displayWidth } from './terminal-text.ts';

/** What a piece of text is; `chosen` is where the keys point. */
export type Tone = MarkLook['tone'] | 'strong' | 'chosen';

/** A piece of a line. Its text has no control characters. */
export interface Piece {
  readonly text: string;
  readonly tone?: Tone | undefined;
}

/** One line of a terminal. */
export type Line = readonly Piece[];

/** SGR parameters. Source: ECMA-48. */
const CODES: Readonly<Record<Tone, string>> = {
  good: '32',
  muted: '2',
  notice: '36',
  warning: '33',
  bad: '1;31',
  strong: '1',
  chosen: '7',
};

/** A line of one piece. */
export const lineOf = (text: string, tone?: Tone): Line => [{ text, tone }];

/** The text of a line. */
export const plainOf = (line: Line): string => line.map(({ text }) => text).join('');

/** The line in at most `columns` columns, with `…` where it is cut. */
export const fitted = (line: Line, columns: number): Line => {
  if (displayWidth(plainOf(line)) <= columns) return line;
  const kept: Piece[] = [];
  let left = columns;
  for (const { text, tone } of line) {
    // What follows is cut away, so the piece that reaches the end gives a column for the `…`.
    const shown = displayWidth(text) < left ? text : cut(`${text} `, left);
    kept.push({ text: shown, tone });
    left -= displayWidth(shown);
    if (shown !== text) return kept;
  }
  return kept;
};

/** A text in lines of at most `columns` columns, broken between words; a further line is indented by two more columns than the first. */
export const wrapped = (text: string, columns: number, tone?: Tone): readonly Line[] => {
  const indent = `${/^ */.exec(text)?.[0] ?? ''}  `;
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/(?<=\S)(?= )/)) {
    if (line !== '' && displayWidth(line) + displayWidth(word) > columns) {
      lines.push(line);
      line = indent + word.trimStart();
    } else line += word;
  }
  return [...lines, line].map((one) => lineOf(one, tone));
};

/** The line with the escape sequences of its tones. */
export const painted = (line: Line, hasColours: boolean): string =>
  line
    .map(({ text, tone }) =>
      tone === undefined || !(hasColours || tone === 'chosen')
        ? text
        : `\u001b[${CODES[tone]}m${text}\u001b[0m`,
    )
    .join('');
