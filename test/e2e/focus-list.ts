/** A list of tests: what is run, and what is left out for which reason. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Skip {
  /** Regular expression of names. */
  readonly pattern: string;
  readonly reason: string;
}

export interface FocusList {
  /** Regular expressions of names; each is a run of its own. */
  readonly focuses: readonly string[];
  readonly skips: readonly Skip[];
}

const SKIP = /^skip (?<pattern>.+) because (?<reason>.+)$/;

const skipOf = (line: string): Skip => {
  const { pattern, reason } = SKIP.exec(line)?.groups ?? {};
  if (pattern === undefined || reason === undefined)
    throw new Error(`a test is skipped without a reason: ${line}`);
  return { pattern, reason };
};

/** Of a text with an expression a line, `skip EXPRESSION because REASON`, comments and empty lines. */
export const parseFocusList = (text: string): FocusList => {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const isSkip = (line: string): boolean => line.startsWith('skip ');
  return {
    focuses: lines.filter((line) => !isSkip(line)),
    skips: lines.filter(isSkip).map(skipOf),
  };
};

export const readFocusList = (name: string): FocusList =>
  parseFocusList(readFileSync(join(import.meta.dirname, name), 'utf8'));
