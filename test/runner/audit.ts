/**
 * `npm run test:audit`: fails on an advisory of high or critical severity about any installed package, because what is bundled
 * stands under `devDependencies`, too. Without an answer of the registry it only warns, so that a check needs no network.
 */
import { spawnSync } from 'node:child_process';

/** An advisory that the project accepts for now. */
export interface Accepted {
  /** As in the URL of the advisory: `GHSA-xxxx-xxxx-xxxx`. */
  readonly id: string;
  /** Why no upgrade or override mends it, and why it does no harm here. */
  readonly reason: string;
}

const ACCEPTED: readonly Accepted[] = [];

/** An advisory in the report of `npm audit --json`. */
interface Advisory {
  readonly name: string;
  readonly range: string;
  readonly severity: string;
  readonly title: string;
  readonly url: string;
}

/** The parts of `npm audit --json` that are read here: a report (version 2), or an error of the registry or of npm. */
interface Printed {
  readonly vulnerabilities?: Readonly<Record<string, { readonly via: readonly (Advisory | string)[] }>>;
  readonly message?: string;
}

/** Lines about an audit. It has failed if it has a failure. */
export interface Verdict {
  readonly failures: readonly string[];
  readonly warnings: readonly string[];
}

const idOf = ({ url }: Advisory): string => url.slice(url.lastIndexOf('/') + 1);

const isSevere = ({ severity }: Advisory): boolean => severity === 'high' || severity === 'critical';

/** The severe advisories, each once: an advisory stands beside each package that it is about. */
const severeIn = (vulnerabilities: NonNullable<Printed['vulnerabilities']>): readonly Advisory[] => {
  const advisories = Object.values(vulnerabilities)
    .flatMap(({ via }) => via)
    .filter((cause) => typeof cause !== 'string')
    .filter(isSevere);
  return [...new Map(advisories.map((advisory) => [idOf(advisory), advisory])).values()];
};

/** Judges the output of `npm audit --json`. Throws if it is neither a report nor an error with a message. */
export const judgeAudit = (printed: string, accepted: readonly Accepted[]): Verdict => {
  const { vulnerabilities, message } = JSON.parse(printed) as Printed;
  if (vulnerabilities === undefined) {
    if (message === undefined) throw new Error(`npm audit printed no report: ${printed.slice(0, 1000)}`);
    return { failures: [], warnings: [`the registry did not answer, so nothing was audited: ${message}`] };
  }
  const severe = severeIn(vulnerabilities);
  const ids = severe.map(idOf);
  return {
    failures: severe
      .filter((advisory) => !accepted.some(({ id }) => id === idOf(advisory)))
      .map(({ severity, name, range, title, url }) => `${severity}: ${name} ${range}: ${title} (${url})`),
    warnings: accepted
      .filter(({ id }) => !ids.includes(id))
      .map(({ id }) => `${id} is not reported any more: remove it from the accepted advisories`),
  };
};

/** A registry that does not answer costs at most half a minute. */
const ARGUMENTS = ['audit', '--json', '--fetch-retries=0', '--fetch-timeout=30000'];

if (import.meta.main) {
  const { stdout } = spawnSync('npm', ARGUMENTS, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  const { failures, warnings } = judgeAudit(stdout, ACCEPTED);
  for (const warning of warnings) process.stdout.write(`WARNING test:audit: ${warning}\n`);
  for (const failure of failures) process.stdout.write(`${failure}\n`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}
