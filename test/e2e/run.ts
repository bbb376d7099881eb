/**
 * `npm run test:e2e [-- --part api|controllers] [focus…]`: Kubernetes' own end-to-end tests, against a fresh host on this machine. Not a
 * part of `npm test`: building them takes Go, some ten minutes and 9 GB. `ROLLCALL_E2E_JOBS` (1) tests run at a time.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { hasGo } from '../clients/go-program.ts';
import { type RecordedHost, report, withHost } from '../runner/recorded-host.ts';
import { type Binaries, buildBinaries } from './build.ts';
import { type FocusList, readFocusList } from './focus-list.ts';
import { startKwok } from './kwok.ts';
import { startNode } from './node.ts';
import type { Program } from './program.ts';
import { type Outcome, staleSkips } from './report.ts';
import { startScheduler } from './scheduler.ts';
import { runSuite, type Surroundings } from './suite.ts';

const SCRIPT = 'test:e2e';
const LOGS = resolve('test-results', 'e2e');

/** What stands beside the host while a list of tests runs. */
interface Part {
  readonly list: string;
  readonly hostArgs: readonly string[];
  start(binaries: Binaries, host: RecordedHost, logs: string): Promise<readonly Program[]>;
}

const kubeconfigOf = ({ folder }: RecordedHost): string => join(folder, 'kubeconfig');

const PARTS: Readonly<Record<string, Part>> = {
  /** The API alone: Kubernetes' own scheduler places the pods. */
  api: {
    list: 'focuses.txt',
    hostArgs: ['--scheduler-name', 'rollcall'],
    start: async ({ scheduler }, host, logs) => {
      const { url, adminToken, folder } = host;
      const node = await startNode(url, readFileSync(join(folder, 'ca.crt'), 'utf8'), adminToken);
      return [startScheduler(scheduler, kubeconfigOf(host), join(logs, 'scheduler.log')), node];
    },
  },
  /** Rollcall's scheduler and controllers: nothing stands beside them but kubelets. */
  controllers: {
    list: 'controllers.txt',
    hostArgs: [],
    start: async ({ kwok, stages }, host, logs) => [
      await startKwok({ path: kwok, stages }, host, kubeconfigOf(host), join(logs, 'kwok.log')),
    ],
  },
};

/** Runs what was asked for, or the whole list. */
const runList = async (
  { focuses, skips }: FocusList,
  asked: readonly string[],
  surroundings: Surroundings,
): Promise<readonly Outcome[]> => {
  const jobs = Number(process.env['ROLLCALL_E2E_JOBS'] ?? 1);
  if (asked.length > 0) return runSuite({ focuses: asked, skips }, jobs, surroundings);
  const outcomes = await runSuite({ focuses, skips }, jobs, surroundings);
  return [...outcomes, { verdicts: staleSkips(skips, outcomes), leftOut: [] }];
};

const runPart = (
  [name, { list, hostArgs, start }]: [string, Part],
  binaries: Binaries,
  asked: readonly string[],
): Promise<readonly Outcome[]> => {
  const logs = join(LOGS, name);
  mkdirSync(logs, { recursive: true });
  return withHost(hostArgs, async (host) => {
    const programs = await start(binaries, host, logs);
    try {
      return await runList(readFocusList(list), asked, { binaries, kubeconfig: kubeconfigOf(host), logs });
    } finally {
      for (const program of programs) await program.stop();
    }
  });
};

const runAll = async (): Promise<readonly Outcome[]> => {
  const options = { part: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const parts = Object.entries(PARTS).filter(([name]) => name === (values.part ?? name));
  if (parts.length === 0) throw new Error(`--part is one of ${Object.keys(PARTS).join(', ')}`);
  const binaries = await buildBinaries();
  const outcomes: Outcome[] = [];
  for (const part of parts) outcomes.push(...(await runPart(part, binaries, positionals)));
  return outcomes;
};

const reportAll = (outcomes: readonly Outcome[]): void => {
  const leftOut = outcomes.flatMap((outcome) => outcome.leftOut);
  for (const { name, reason } of leftOut) console.log(`left out ${name}: ${reason}`);
  report(
    SCRIPT,
    outcomes.flatMap(({ verdicts }) => verdicts),
    leftOut.length,
  );
};

if (hasGo()) reportAll(await runAll());
else {
  console.log(
    `${SCRIPT} needs Go 1.21 or later: it builds Kubernetes' tests from their sources. Nothing was run.`,
  );
  report(SCRIPT, [], 1);
}
