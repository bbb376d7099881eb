/**
 * A second try for tests of real processes. Hundreds of processes share the machine, so now and then the kernel ends one
 * in an order that a test did not expect. What failed runs again once, alone; what fails twice has failed. What passes
 * only then is printed as unsteady: it is a defect to find, of the test or of the product. Where `CI` is set, it fails the run.
 */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Counts, Part, PartResult } from './parts.ts';
import { print, reportOf, runPart } from './parts.ts';

/** Of vitest's JSON report, what is read here. */
export interface FileReport {
  readonly name: string;
  readonly status: 'passed' | 'failed';
  readonly assertionResults: readonly { readonly status: string }[];
}

const filesOf = ({ report }: Part): readonly FileReport[] =>
  report !== undefined && existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).testResults : [];

const countsOf = (files: readonly FileReport[]): Counts => {
  const statuses = files.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
  const passed = statuses.filter((status) => status === 'passed').length;
  const failed = statuses.filter((status) => status === 'failed').length;
  return { passed, failed, skipped: statuses.length - passed - failed };
};

const sum = (one: Counts, other: Counts): Counts => ({
  passed: one.passed + other.passed,
  failed: one.failed + other.failed,
  skipped: one.skipped + other.skipped,
});

/** The part for a second try, and the counts of what is not tried again. */
interface SecondTry {
  readonly part: Part;
  readonly kept: Counts;
}

const NOTHING: Counts = { passed: 0, failed: 0, skipped: 0 };

const secondTryOf = (part: Part): SecondTry | undefined => {
  if (part.again === 'whole') return { part, kept: NOTHING };
  const files = filesOf(part);
  const failed = files.filter(({ status }) => status === 'failed').map(({ name }) => relative('.', name));
  if (failed.length === 0) return undefined;
  return {
    part: { ...part, report: reportOf(`${part.script}:again`), files: failed },
    kept: countsOf(files.filter(({ status }) => status === 'passed')),
  };
};

/** What of a second try passed, by its counts and the reports of its files: those files, or the whole part. */
export const unsteadyIn = (
  { files }: Part,
  { failed }: Counts,
  reports: readonly FileReport[],
): readonly string[] => {
  if (files === undefined) return failed === 0 ? ['all of it'] : [];
  return reports.filter(({ status }) => status === 'passed').map(({ name }) => relative('.', name));
};

const settledBy = (result: PartResult, { kept }: SecondTry, found: PartResult): PartResult => ({
  ...found,
  ...sum(kept, found),
  failures: [...result.failures, ...found.failures.map((failure) => `second try: ${failure}`)],
  part: result.part,
  seconds: result.seconds + found.seconds,
  processorSeconds: result.processorSeconds + found.processorSeconds,
});

const tryAgain = async (result: PartResult): Promise<PartResult> => {
  const { part } = result;
  const second = result.failed > 0 && part.again !== undefined ? secondTryOf(part) : undefined;
  if (!second) return result;
  const what = second.part.files?.join(' ') ?? 'all of it';
  process.stdout.write(`\n${part.script} failed; a second try, alone: ${what}\n`);
  const found = await runPart(second.part, true);
  const settled = settledBy(result, second, found);
  print(settled);
  const unsteady = unsteadyIn(second.part, found, filesOf(second.part));
  if (unsteady.length > 0)
    process.stdout.write(`UNSTEADY ${part.script}: ${unsteady.join(' ')}: passed on the second try\n`);
  return { ...settled, unsteady: unsteady.length };
};

/** The results, those of parts that may be tried again settled, one part after the other. */
export const withSecondTries = async (results: readonly PartResult[]): Promise<readonly PartResult[]> => {
  const settled: PartResult[] = [];
  for (const result of results) settled.push(await tryAgain(result));
  return settled;
};
