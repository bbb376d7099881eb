import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type FailureReport, failuresOf } from './failure-summary.ts';
import { secondsOfTimes } from './processor-time.ts';

/** One part of the test run: a script of package.json. */
export interface Part {
  readonly script: string;
  /** A JSON report in vitest's form; parts without one count as one check. */
  readonly report?: string;
  /** It is vitest that writes the report, and has to be told where. */
  readonly isVitest?: boolean;
  /** What may be tried a second time when it fails: see second-try.ts. Only parts of real processes say so. */
  readonly again?: 'files' | 'whole';
  /** The only test files to run; all of the part without it. */
  readonly files?: readonly string[];
  /** The file in which the part tells the processor time, in seconds, of processes that outlive those that started them. */
  readonly apart?: string;
}

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface PartResult extends Counts {
  readonly part: Part;
  /** How many files passed only on the second try; 1 for a part that is tried again as a whole. */
  readonly unsteady: number;
  readonly seconds: number;
  /** Of the processor, by all processes of the part. */
  readonly processorSeconds: number;
  /** What was kept instead of printed. */
  readonly output: string;
  /** Of each try that failed: see failure-summary.ts. */
  readonly failures: readonly string[];
}

const REPORTS = 'test-results';

/** Where the part's report lies. */
export const reportOf = (script: string): string => `${REPORTS}/${script.replaceAll(':', '-')}.json`;

/** A part that writes a report by itself. */
export const reportingPart = (script: string): Part => ({ script, report: reportOf(script) });

/** A part that runs one vitest project. */
export const vitestPart = (script: string): Part => ({ ...reportingPart(script), isVitest: true });

interface Report extends FailureReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
}

const readReport = ({ report }: Part): Report | undefined =>
  report !== undefined && existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined;

const fromReport = (report: Report): Counts => {
  const skipped = report.numPendingTests + report.numTodoTests;
  return { passed: report.numPassedTests, failed: report.numFailedTests, skipped };
};

/** A part that died before its tests, or after them, has failed even if no test says so. */
const countsOf = (report: Report | undefined, ok: boolean): Counts => {
  if (!report) return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 };
  const found = fromReport(report);
  return ok || found.failed > 0 ? found : { ...found, failed: 1 };
};

interface Ran {
  readonly ok: boolean;
  readonly processorSeconds: number;
}

/** The shell knows what its npm has used of the processor, with all that npm waited for, and tells it on a pipe of its own. */
const TIMED = 'npm "$@" 3>&-; code=$?; times >&3; exit $code';

const run = async (args: readonly string[], onText: (text: string) => void): Promise<Ran> => {
  const child = spawn('sh', ['-c', TIMED, 'npm', ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: { ...process.env, FORCE_COLOR: '0' },
  });
  child.stdout?.on('data', (chunk: Buffer) => onText(chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => onText(chunk.toString()));
  const [times, [code]] = await Promise.all([text(child.stdio[3] as Readable), once(child, 'close')]);
  return { ok: code === 0, processorSeconds: secondsOfTimes(times) };
};

const secondsApart = ({ apart }: Part): number =>
  apart !== undefined && existsSync(apart) ? Number(JSON.parse(readFileSync(apart, 'utf8'))) : 0;

const reportArguments = ({ report, isVitest, files = [] }: Part): readonly string[] =>
  report === undefined || !isVitest
    ? []
    : ['--', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...files];

/** Runs one part; `live` prints its output as it comes instead of keeping it. */
export const runPart = async (part: Part, live: boolean): Promise<PartResult> => {
  for (const path of [part.report, part.apart]) if (path) rmSync(path, { force: true });
  const startedAt = performance.now();
  let output = '';
  const { ok, processorSeconds } = await run(
    ['run', '--silent', part.script, ...reportArguments(part)],
    (piece) => {
      if (live) process.stdout.write(piece);
      output += piece;
    },
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const report = readReport(part);
  return {
    part,
    unsteady: 0,
    seconds,
    processorSeconds: processorSeconds + secondsApart(part),
    output: live ? '' : output,
    failures: ok ? [] : failuresOf(report, output),
    ...countsOf(report, ok),
  };
};

/** Runs parts on `workers` processes; results in the order of `parts`. */
export const runParts = async (parts: readonly Part[], workers: number): Promise<readonly PartResult[]> => {
  mkdirSync(REPORTS, { recursive: true });
  const results: PartResult[] = [];
  const waiting = [...parts.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, part] = next;
      const result = await runPart(part, workers === 1);
      results[index] = result;
      print(result);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return results;
};

/** The lines by which a part warns though it passes: `WARNING <script>: …`. */
const warningsIn = (output: string): readonly string[] => output.match(/^WARNING test:.*\n/gm) ?? [];

/** Prints a line of its result, before it its output if it was kept and says why something failed or was skipped, else its warnings. */
export const print = ({ part, seconds, failed, passed, skipped, output }: PartResult): void => {
  if ((failed > 0 || skipped > 0) && output) process.stdout.write(`${output}\n`);
  else process.stdout.write(warningsIn(output).join(''));
  const mark = failed > 0 ? 'FAILED' : 'ok';
  const left = skipped > 0 ? `, ${skipped} skipped` : '';
  process.stdout.write(
    `${mark.padEnd(7)}${part.script.padEnd(22)}${passed} passed${left}  ${seconds.toFixed(1)} s\n`,
  );
};

type Totals = Counts & Pick<PartResult, 'unsteady'>;

const sumOf = (results: readonly PartResult[], key: keyof Totals): number =>
  results.reduce((sum, result) => sum + result[key], 0);

/** The counts of all parts. If `isStrict`, a test of each file that passed only on the second try has failed. */
export const totalsOf = (results: readonly PartResult[], isStrict: boolean): Totals => {
  const unsteady = sumOf(results, 'unsteady');
  const strict = isStrict ? unsteady : 0;
  return {
    passed: sumOf(results, 'passed') - strict,
    failed: sumOf(results, 'failed') + strict,
    skipped: sumOf(results, 'skipped'),
    unsteady,
  };
};

/** The last lines of a run. The very last line has the form `N passed, N failed`, and `, N skipped` only if tests were skipped. */
export const closingLines = (
  { passed, failed, skipped, unsteady }: Totals,
  isStrict: boolean,
): readonly string[] => [
  ...(unsteady > 0 ? [`${unsteady} unsteady${isStrict ? ', counted as failed' : ''}`] : []),
  `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`,
];

/** A line for each part, with its times; the longest first. */
const printTimes = (results: readonly PartResult[]): void => {
  process.stdout.write('\n    wall  processor\n');
  for (const { part, seconds, processorSeconds } of results.toSorted((a, b) => b.seconds - a.seconds))
    process.stdout.write(
      `${seconds.toFixed(0).padStart(6)} s ${processorSeconds.toFixed(0).padStart(8)} s  ${part.script}\n`,
    );
};

/** What failed, and what failed at first, under a heading for each part. */
const printFailures = (results: readonly PartResult[]): void => {
  for (const { part, failures } of results)
    for (const failure of failures) process.stdout.write(`\n${part.script}: ${failure}\n`);
};

/** Prints what failed, the times and the closing lines, and returns the exit code. Where `CI` is set, unsteady files fail the run. */
export const closing = (results: readonly PartResult[], isStrict = Boolean(process.env['CI'])): number => {
  printFailures(results);
  printTimes(results);
  const totals = totalsOf(results, isStrict);
  process.stdout.write(`\n${closingLines(totals, isStrict).join('\n')}\n`);
  return totals.failed ? 1 : 0;
};
