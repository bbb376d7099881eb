/**
 * Sessions of a shell as text: what was typed and what must be printed.
 *
 *     # a comment
 *     $ kubectl cordon $NODE           what is typed; `> ` continues it; a ` &` at its end starts it in the background, and
 *     node/$NODE cordoned              the session goes on once the lines below it have been printed
 *     ! error: …                       a line on standard error
 *     = 1                              the exit code, unless it is 0
 *     $ wait                           for the background to end, with its further lines; `$ stop` ends it after them
 *     [1.27-] $ kubectl auth whoami    only for these versions: `[1.20]`, `[1.27-]`, `[-1.30]`, `[1.27-1.30]`
 *     \$ a line that starts like one of the above
 */
import { minorOf } from './versions.ts';

export interface Expected {
  readonly out: readonly string[];
  readonly err: readonly string[];
  readonly code: number;
}

export interface Step extends Expected {
  readonly command: string;
}

const RANGE = /^\[(1\.\d+)?(-)?(1\.\d+)?\] ?/;

const isWithin = (version: string, from: string | undefined, to: string | undefined): boolean =>
  (from === undefined || minorOf(version) >= minorOf(from)) &&
  (to === undefined || minorOf(version) <= minorOf(to));

/** The line without its range, or nothing when it is for other versions. */
const forVersion = (line: string, version: string): readonly string[] => {
  const [range, from, dash, to] = RANGE.exec(line) ?? [];
  if (range === undefined) return [line];
  return isWithin(version, from, dash === undefined ? from : to) ? [line.slice(range.length)] : [];
};

interface Draft {
  command: string;
  readonly out: string[];
  readonly err: string[];
  code: number;
}

const startsStep = (line: string): boolean => line.startsWith('$ ');

const addLine = (step: Draft, line: string): void => {
  if (line.startsWith('> ')) step.command += `\n${line.slice(2)}`;
  else if (line === '>') step.command += '\n';
  else if (line.startsWith('! ')) step.err.push(line.slice(2));
  else if (line === '!') step.err.push('');
  else if (line.startsWith('= ')) step.code = Number(line.slice(2));
  else step.out.push(line.startsWith('\\') ? line.slice(1) : line);
};

/** Blank lines before the next command are there for the reader. */
const trimmed = (lines: readonly string[]): readonly string[] =>
  lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);

/**
 * A command that other versions do not have takes its expectations with it: lines without a range belong to the command above
 * them in the text, whether it is kept or not.
 */
export const parseTranscript = (text: string, version: string): readonly Step[] => {
  const steps: Draft[] = [];
  let kept = false;
  for (const line of text.split('\n').filter((each) => !each.startsWith('# ') && each !== '#')) {
    const [own] = forVersion(line, version);
    if (startsStep(line.replace(RANGE, ''))) {
      kept = own !== undefined;
      if (own !== undefined) steps.push({ command: own.slice(2), out: [], err: [], code: 0 });
      continue;
    }
    const step = steps.at(-1);
    if (kept && step && own !== undefined) addLine(step, own);
  }
  return steps.map((step) => ({ ...step, out: trimmed(step.out), err: trimmed(step.err) }));
};
