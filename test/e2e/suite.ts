/** Runs Kubernetes' own tests. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Binaries } from './build.ts';
import type { Skip } from './focus-list.ts';
import { spawnLogged } from './program.ts';
import { type Outcome, readOutcome } from './report.ts';

const LIMIT = '30m';

/** Where the tests run, and where they leave their reports. */
export interface Surroundings {
  readonly binaries: Binaries;
  readonly kubeconfig: string;
  /** Folder of reports and logs. */
  readonly logs: string;
}

const skipOption = (skips: readonly Skip[]): readonly string[] =>
  skips.length === 0 ? [] : [`--ginkgo.skip=${skips.map(({ pattern }) => pattern).join('|')}`];

/** A name for files: `sig-apps\] Daemon set` becomes `sig-apps-Daemon-set`. */
const fileNameOf = (focus: string): string => focus.replaceAll(/[^\w]+/g, '-').replaceAll(/^-|-$/g, '');

const printCounts = (focus: string, { verdicts, leftOut }: Outcome, log: string): void => {
  const failures = verdicts.filter(({ problem }) => problem !== undefined).length;
  const counts = `${verdicts.length - failures} passed, ${failures} failed, ${leftOut.length} left out`;
  console.log(`${counts}: ${focus} (${log})`);
};

/** The options of one run of the tests; `json`: the file of its report. */
const optionsOf = (
  focus: string,
  skips: readonly Skip[],
  { binaries: { kubectl }, kubeconfig }: Surroundings,
  json: string,
): readonly string[] => [
  '--provider=skeleton',
  `--kubeconfig=${kubeconfig}`,
  `--kubectl-path=${kubectl}`,
  '--allowed-not-ready-nodes=-1',
  '--disable-log-dump',
  '--ginkgo.no-color',
  `--ginkgo.focus=${focus}`,
  ...skipOption(skips),
  `--ginkgo.timeout=${LIMIT}`,
  `--ginkgo.json-report=${json}`,
];

/** Runs the tests whose names `focus` matches, without those that are skipped. */
export const runFocus = async (
  focus: string,
  skips: readonly Skip[],
  surroundings: Surroundings,
): Promise<Outcome> => {
  const path = join(surroundings.logs, fileNameOf(focus));
  const [json, log] = [`${path}.json`, `${path}.log`];
  rmSync(json, { force: true });
  await spawnLogged(surroundings.binaries.tests, optionsOf(focus, skips, surroundings, json), log).closed;
  const outcome = readOutcome(json, focus, skips);
  printCounts(focus, outcome, log);
  return outcome;
};
