/**
 * `npm run test:e2e [-- --part api|controllers] [focus…]`: Kubernetes' own end-to-end tests, against fresh hosts on this machine. Not a
 * part of `npm test`: building them takes Go, some ten minutes and 9 GB. Many tests take a whole cluster for themselves, so a host
 * runs one at a time. With `ROLLCALL_E2E_JOBS=4` four hosts share the list.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { hasGo } from '../clients/go-program.ts';
import { type RecordedHost, report, withHost } from '../runner/recorded-host.ts';
import { type Binaries, buildBinaries } from './build.ts';
import { readFocusList, type Skip } from './focus-list.ts';
import { startKwok } from './kwok.ts';
import { startNode } from './node.ts';
import type { Program } from './program.ts';
import { type Outcome, staleSkips } from './report.ts';
import { startScheduler } from './scheduler.ts';
import { runFocus } from './suite.ts';

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

/** Runs expressions on a host of their own, until none is left. */
const runOnHost = (
  { hostArgs, start }: Part,
  binaries: Binaries,
  waiting: Iterable<string>,
  skips: readonly Skip[],
  logs: string,
): Promise<readonly Outcome[]> =>
  withHost(hostArgs, async (host) => {
    mkdirSync(logs, { recursive: true });
    const programs = await start(binaries, host, logs);
    const outcomes: Outcome[] = [];
    try {
      for (const focus of waiting)
        outcomes.push(await runFocus(focus, skips, { binaries, kubeconfig: kubeconfigOf(host), logs }));
    } finally {
      for (const program of programs) await program.stop();
    }
    return outcomes;
  });

/** Runs what was asked for, or the whole list. */
const runPart = async (
  [name, part]: [string, Part],
  binaries: Binaries,
  asked: readonly string[],
): Promise<readonly Outcome[]> => {
  const { focuses, skips } = readFocusList(part.list);
  const chosen = asked.length > 0 ? asked : focuses;
  const waiting = chosen.values();
  const jobs = Number(process.env['ROLLCALL_E2E_JOBS'] ?? 1);
  const folders = Array.from({ length: Math.min(jobs, chosen.length) }, (_, index) => `host-${index + 1}`);
  const runs = folders.map((folder) => runOnHost(part, binaries, waiting, skips, join(LOGS, name, folder)));
  const outcomes = (await Promise.all(runs)).flat();
  if (asked.length > 0) return outcomes;
  return [...outcomes, { verdicts: staleSkips(skips, outcomes), leftOut: [] }];
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
