/** What a report of Ginkgo says of the tests that ran. */
import { readFileSync } from 'node:fs';

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

export interface Outcome {
  readonly passed: number;
  /** One line for each test that failed. */
  readonly failures: readonly string[];
}

const MOST_CHARACTERS = 300;

const nameOf = ({ ContainerHierarchyTexts, LeafNodeText = '' }: Spec): string =>
  [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(' ');

const failureOf = (spec: Spec): string =>
  `${nameOf(spec)}: ${(spec.Failure?.Message ?? spec.State).slice(0, MOST_CHARACTERS)}`;

/** Of the text of a report. */
export const outcomeOf = (report: string): Outcome => {
  const suites = JSON.parse(report) as readonly Suite[];
  const specs = suites.flatMap(({ SpecReports }) => SpecReports ?? []);
  const ran = specs.filter(({ State }) => State !== 'skipped' && State !== 'pending');
  return {
    passed: ran.filter(({ State, LeafNodeType }) => State === 'passed' && LeafNodeType === 'It').length,
    failures: ran.filter(({ State }) => State !== 'passed').map(failureOf),
  };
};

/** A run without a report, or in which nothing ran, has failed. */
export const readOutcome = (path: string, focus: string): Outcome => {
  try {
    const outcome = outcomeOf(readFileSync(path, 'utf8'));
    if (outcome.passed + outcome.failures.length > 0) return outcome;
    return { passed: 0, failures: [`${focus}: no test has such a name`] };
  } catch (error) {
    return { passed: 0, failures: [`${focus}: no report (${String(error)})`] };
  }
};
