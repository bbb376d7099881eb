/** What a report of Ginkgo says of the tests that a focus names. */
import { readFileSync } from 'node:fs';
import type { Verdict } from '../runner/recorded-host.ts';
import type { Skip } from './focus-list.ts';

interface Spec {
  readonly State: string;
  readonly LeafNodeType: string;
  readonly LeafNodeText?: string;
  readonly ContainerHierarchyTexts?: readonly string[] | null;
  readonly Failure?: { readonly Message?: string };
}

interface Suite {
  readonly SpecReports?: readonly Spec[] | null;
}

/** A test that the focus names, and that did not run. */
export interface LeftOut {
  readonly name: string;
  readonly reason: string;
  /** The expression of the list that leaves it out; none if the test has left itself out. */
  readonly pattern?: string;
}

export interface Outcome {
  readonly verdicts: readonly Verdict[];
  readonly leftOut: readonly LeftOut[];
}

const MOST_CHARACTERS = 300;

const nameOf = ({ ContainerHierarchyTexts, LeafNodeText = '' }: Spec): string =>
  [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(' ');

const isTest = ({ LeafNodeType }: Spec): boolean => LeafNodeType === 'It';

const isLeftOut = ({ State }: Spec): boolean => State === 'skipped' || State === 'pending';

const verdictOf = (spec: Spec): Verdict =>
  spec.State === 'passed'
    ? { name: nameOf(spec) }
    : { name: nameOf(spec), problem: (spec.Failure?.Message ?? spec.State).slice(0, MOST_CHARACTERS) };

const matches = (pattern: string, name: string): boolean => new RegExp(pattern, 'v').test(name);

const leftOutAs = (spec: Spec, skips: readonly Skip[]): LeftOut => {
  const name = nameOf(spec);
  const skip = skips.find(({ pattern }) => matches(pattern, name));
  return { name, reason: spec.Failure?.Message ?? spec.State, ...skip };
};

const failure = (name: string, problem: string): Verdict => ({ name, problem });

/**
 * Of the text of a report: what became of the tests that `focus` names. Set-up and cleaning up count only if they fail. That nothing
 * has run is a failure.
 */
export const outcomeOf = (report: string, focus: string, skips: readonly Skip[]): Outcome => {
  const suites = JSON.parse(report) as readonly Suite[];
  const specs = suites.flatMap(({ SpecReports }) => SpecReports ?? []);
  const ran = specs.filter((spec) => !isLeftOut(spec) && (isTest(spec) || spec.State !== 'passed'));
  const others = specs.filter((spec) => isLeftOut(spec) && isTest(spec) && matches(focus, nameOf(spec)));
  return {
    verdicts: ran.length > 0 ? ran.map(verdictOf) : [failure(focus, 'no test of such a name has run')],
    leftOut: others.map((spec) => leftOutAs(spec, skips)),
  };
};

/** Of the report in a file; a run that has left none has failed. */
export const readOutcome = (path: string, focus: string, skips: readonly Skip[]): Outcome => {
  try {
    return outcomeOf(readFileSync(path, 'utf8'), focus, skips);
  } catch (error) {
    return { verdicts: [failure(focus, `no report (${String(error)})`)], leftOut: [] };
  }
};

/** Expressions of a list that leave out nothing, as failures: what the list says would not be true. */
export const staleSkips = (skips: readonly Skip[], outcomes: readonly Outcome[]): readonly Verdict[] => {
  const used = new Set(outcomes.flatMap(({ leftOut }) => leftOut.map(({ pattern }) => pattern)));
  const stale = skips.filter(({ pattern }) => !used.has(pattern));
  return stale.map(({ pattern }) => failure(`skip ${pattern}`, 'leaves no test out'));
};
