/** Runs Kubernetes' own tests. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { inParallel } from '../../shared/state/in-parallel.ts';
import type { Binaries } from './build.ts';
import type { FocusList } from './focus-list.ts';
import { type Outcome, readOutcome } from './report.ts';

const LIMIT = '30m';

/** Where the tests run, and where they leave their reports. */
export interface Surroundings {
  readonly binaries: Binaries;
  readonly kubeconfig: string;
  /** Folder of reports and logs. */
  readonly logs: string;
}

const skipOption = ({ skips }: FocusList): readonly string[] =>
  skips.length === 0 ? [] : [`--ginkgo.skip=${skips.map(({ pattern }) => pattern).join('|')}`];

const runFocus = async (
  list: FocusList,
  index: number,
  { binaries: { tests, kubectl }, kubeconfig, logs }: Surroundings,
): Promise<Outcome> => {
  const focus = list.focuses[index] ?? '';
  const json = join(logs, `${index + 1}.json`);
  const options = [
    ...['--provider=skeleton', `--kubeconfig=${kubeconfig}`, `--kubectl-path=${kubectl}`],
    ...['--allowed-not-ready-nodes=-1', '--disable-log-dump', '--ginkgo.no-color'],
    ...[`--ginkgo.focus=${focus}`, ...skipOption(list), `--ginkgo.timeout=${LIMIT}`],
    `--ginkgo.json-report=${json}`,
  ];
  const child = spawn('nice', [tests, ...options], { cwd: logs, stdio: ['ignore', 'pipe', 'pipe'] });
  const path = join(logs, `${index + 1}.log`);
  const log = createWriteStream(path);
  child.stdout.pipe(log);
  child.stderr.pipe(log);
  await once(child, 'close');
  const outcome = readOutcome(json, focus);
  console.log(`${outcome.passed} passed, ${outcome.failures.length} failed: ${focus} (${path})`);
  return outcome;
};

/** Runs the list, `jobs` of its expressions at a time. */
export const runSuite = (
  list: FocusList,
  jobs: number,
  surroundings: Surroundings,
): Promise<readonly Outcome[]> =>
  inParallel([...list.focuses.keys()], jobs, (index) => runFocus(list, index, surroundings));
