/** Printed once more at the end of a run: a kept log may have lost its middle, and a second try hides the first. */
import { stripVTControlCharacters } from 'node:util';

/** Of vitest's JSON report, what is read here. */
export interface FailureReport {
  readonly testResults?: readonly {
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

const MOST_FAILURES = 10;
const MOST_LINES = 40;
const MOST_CHARACTERS = 300;

const linesOf = (text: string): readonly string[] =>
  stripVTControlCharacters(text)
    .split('\n')
    .map((line) => line.slice(0, MOST_CHARACTERS))
    .filter((line) => line.trim() !== '');

const byTest = ({ testResults = [] }: FailureReport): readonly string[] =>
  testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages = [] }) =>
      [fullName, ...linesOf(failureMessages.join('\n')).slice(0, MOST_LINES)].join('\n  '),
    );

/**
 * The failures of one try of a part, at most ten, each with at most 40 lines: by test where the report has tests, else the
 * last lines of its output.
 */
export const failuresOf = (report: FailureReport | undefined, output: string): readonly string[] => {
  const failures = byTest(report ?? {}).slice(0, MOST_FAILURES);
  return failures.length > 0 ? failures : [linesOf(output).slice(-MOST_LINES).join('\n  ')];
};
