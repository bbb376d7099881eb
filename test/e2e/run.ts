/**
 * `npm run test:e2e [-- focus…]`: Kubernetes' own end-to-end tests of the API, against a fresh host on this machine. Not a part of
 * `npm test`: building them takes Go, some ten minutes and 9 GB. `ROLLCALL_E2E_JOBS` (1) tests run at a time.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inParallel } from '../../shared/state/in-parallel.ts';
import { hasGo } from '../clients/go-program.ts';
import { report, type Verdict, withHost } from '../runner/recorded-host.ts';
import { type Binaries, buildBinaries } from './build.ts';
import { startNode } from './node.ts';
import { type Outcome, readOutcome } from './report.ts';
import { startScheduler } from './scheduler.ts';

const SCRIPT = 'test:e2e';
const LIMIT = '15m';
const LOGS = resolve('test-results', 'e2e');

const listedFocuses = (): readonly string[] =>
  readFileSync(join(import.meta.dirname, 'focuses.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

const runFocus = async (
  focus: string,
  index: number,
  { tests, kubectl }: Binaries,
  kubeconfig: string,
): Promise<Outcome> => {
  const json = join(LOGS, `${index}.json`);
  const options = [
    ...['--provider=skeleton', `--kubeconfig=${kubeconfig}`, `--kubectl-path=${kubectl}`],
    ...['--allowed-not-ready-nodes=-1', '--disable-log-dump', '--ginkgo.no-color'],
    ...[`--ginkgo.focus=${focus}`, '--ginkgo.skip=OIDC|cronjob', `--ginkgo.timeout=${LIMIT}`],
    `--ginkgo.json-report=${json}`,
  ];
  const child = spawn('nice', [tests, ...options], { cwd: LOGS, stdio: ['ignore', 'pipe', 'pipe'] });
  const log = createWriteStream(join(LOGS, `${index}.log`));
  child.stdout.pipe(log);
  child.stderr.pipe(log);
  await once(child, 'close');
  const outcome = readOutcome(json, focus);
  console.log(`${outcome.passed} passed, ${outcome.failures.length} failed: ${focus} (${index}.log)`);
  return outcome;
};

const verdictsOf = ({ passed, failures }: Outcome): readonly Verdict[] => [
  ...Array.from({ length: passed }, () => ({ name: 'a test of Kubernetes' })),
  ...failures.map((problem) => ({ name: 'a test of Kubernetes', problem })),
];

const runAll = async (binaries: Binaries): Promise<readonly Outcome[]> => {
  mkdirSync(LOGS, { recursive: true });
  const asked = process.argv.slice(2);
  const focuses = asked.length > 0 ? asked : listedFocuses();
  const jobs = Number(process.env['ROLLCALL_E2E_JOBS'] ?? 1);
  const outcomes: Outcome[] = [];
  // The kube-scheduler beside it places the pods of default-scheduler.
  await withHost(['--scheduler-name', 'rollcall'], async ({ url, adminToken, folder }) => {
    const node = await startNode(url, readFileSync(join(folder, 'ca.crt'), 'utf8'), adminToken);
    const kubeconfig = join(folder, 'kubeconfig');
    const scheduler = startScheduler(binaries.scheduler, kubeconfig, join(LOGS, 'scheduler.log'));
    await inParallel([...focuses.entries()], jobs, async ([index, focus]) => {
      outcomes.push(await runFocus(focus, index + 1, binaries, kubeconfig));
    });
    await scheduler.stop();
    await node.stop();
  });
  return outcomes;
};

if (hasGo()) {
  const outcomes = await runAll(await buildBinaries());
  report(SCRIPT, outcomes.flatMap(verdictsOf), 0);
} else {
  console.log(
    `${SCRIPT} needs Go 1.21 or later: it builds Kubernetes' tests from their sources. Nothing was run.`,
  );
  report(SCRIPT, [], 1);
}
