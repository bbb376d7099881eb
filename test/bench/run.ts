/**
 * `npm run bench -- [--only name,name] [--json FILE] [--large] [--show]`: measures, prints one table, fails on no figure. The part `side`
 * also takes `--rounds N`, `--scale SHARE` and `--kube-folder FOLDER`.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { optional } from '../../shared/kube/values/optional.ts';
import { bundlesOfAgent } from './agent/bundles.bench.ts';
import { agentIdle } from './agent/idle.bench.ts';
import { heartbeatCpu, heartbeatSdkCpu } from './api/heartbeat-cpu.bench.ts';
import { patches } from './api/patches.bench.ts';
import { protobuf } from './api/protobuf.bench.ts';
import { tokenCpu } from './api/token-cpu.bench.ts';
import { bodies } from './bodies/bodies.bench.ts';
import { daemonUnits } from './dynamodb/daemon-units.bench.ts';
import { logUnits } from './dynamodb/log-units.bench.ts';
import { namespaceSeconds, namespaceUnits } from './dynamodb/namespace-units.bench.ts';
import { rowSizes } from './dynamodb/row-sizes.bench.ts';
import { schedulerUnits } from './dynamodb/scheduler-units.bench.ts';
import type { Bench, BenchOptions, Figure } from './figures/figures.ts';
import { isMet, isSkipped } from './figures/figures.ts';
import { tableOf } from './figures/table.ts';
import { hostBeatFiles } from './host/beat-files.bench.ts';
import { hostBeatCost } from './host/cost/beat-cost.bench.ts';
import { beatShortcuts } from './host/cost/beat-shortcuts.bench.ts';
import { hostCrowdedNodes } from './host/crowded-nodes.bench.ts';
import { hostDaemonSets } from './host/daemon-sets.bench.ts';
import { hostDeadlines } from './host/deadlines.bench.ts';
import { hostFleet } from './host/fleet.bench.ts';
import { hostFlips } from './host/flips.bench.ts';
import { hostLargeFleet } from './host/large/large-fleet.bench.ts';
import { hostMillion } from './host/large/million.bench.ts';
import { hostRestart } from './host/large/restart.bench.ts';
import { hostPass, hostRelayedPass } from './host/pass.bench.ts';
import { hostPlacement } from './host/placement.bench.ts';
import { hostTables } from './host/tables.bench.ts';
import { hostWatch } from './host/watch.bench.ts';
import { adaptiveGrace } from './monitor/adaptive-grace.bench.ts';
import { monitorPass } from './monitor/monitor-pass.bench.ts';
import { monitorReads } from './monitor/monitor-reads.bench.ts';
import { pacing } from './monitor/pacing.bench.ts';
import { bundles } from './package/bundles.bench.ts';
import { packageBench } from './package/package.bench.ts';
import { page } from './page/page.bench.ts';
import { relayCpu } from './relay/relay-cpu.bench.ts';
import { relayUnits } from './relay/relay-units.bench.ts';
import { schedulerAttempts } from './scheduler-attempt.bench.ts';
import { sideBySide } from './side/side.bench.ts';
import { simulation } from './simulation.bench.ts';

const PARTS: Readonly<Record<string, readonly Bench[]>> = {
  heartbeat: [heartbeatCpu, heartbeatSdkCpu, bundles],
  tokens: [tokenCpu],
  rows: [rowSizes, monitorReads],
  'monitor-pass': [monitorPass],
  pacing: [pacing],
  'adaptive-grace': [adaptiveGrace],
  protobuf: [protobuf],
  bodies: [bodies],
  patches: [patches],
  log: [logUnits],
  namespaces: [namespaceUnits, namespaceSeconds],
  host: [hostFleet, hostPass, hostTables, hostDeadlines],
  'relayed-pass': [hostRelayedPass],
  million: [hostMillion],
  'beat-cost': [hostBeatCost],
  'beat-shortcuts': [beatShortcuts],
  fleet: [hostBeatFiles, hostFlips, hostLargeFleet],
  restart: [hostRestart],
  'crowded-nodes': [hostCrowdedNodes],
  attempts: [schedulerAttempts],
  placement: [schedulerUnits, hostPlacement],
  'daemon-sets': [daemonUnits, hostDaemonSets],
  relay: [relayUnits, relayCpu],
  watch: [hostWatch],
  agent: [agentIdle],
  containers: [bundlesOfAgent],
  package: [packageBench],
  page: [page],
  simulation: [simulation],
  side: [sideBySide],
};

/** What takes ten minutes, and gigabytes of disk or a build of Kubernetes, and is measured only if it is named. */
const UNASKED = new Set(['million', 'side']);

interface PartResult {
  readonly part: string;
  readonly seconds: number;
  readonly figures: readonly Figure[];
  /** Why something was not measured. */
  readonly skipped: readonly string[];
}

const GIB = 2 ** 30;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** One broken part must not cost the figures of the others. */
const attempt = async (bench: Bench, options: BenchOptions): ReturnType<Bench> => {
  try {
    return await bench(options);
  } catch (error) {
    process.exitCode = 1;
    return { skipped: `broken: ${messageOf(error)}` };
  }
};

const runPart = async (part: string, options: BenchOptions): Promise<PartResult> => {
  const startedAt = performance.now();
  const figures: Figure[] = [];
  const skipped: string[] = [];
  for (const bench of PARTS[part] ?? []) {
    const findings = await attempt(bench, options);
    if (isSkipped(findings)) skipped.push(findings.skipped);
    else figures.push(...findings);
  }
  return { part, seconds: (performance.now() - startedAt) / 1000, figures, skipped };
};

const runAll = async (parts: readonly string[], options: BenchOptions): Promise<readonly PartResult[]> => {
  const results: PartResult[] = [];
  for (const part of parts) {
    process.stderr.write(`${part} …\n`);
    results.push(await runPart(part, options));
  }
  return results;
};

const headingOf = ({ part, seconds, skipped }: PartResult): string =>
  [
    `${part}  (${seconds.toFixed(0)} s)`,
    ...skipped.map((why) => `  not available: ${why.replace(/^skipped: /, '')}`),
  ].join('\n');

const machine = () => ({
  node: process.version,
  cores: availableParallelism(),
  memoryGiB: Math.round(totalmem() / GIB),
  architecture: process.arch,
});

const partsOf = (only: string | undefined): readonly string[] => {
  const parts = only?.split(',') ?? Object.keys(PARTS).filter((part) => !UNASKED.has(part));
  const unknown = parts.find((part) => !(part in PARTS));
  if (unknown === undefined) return parts;
  throw new Error(`no part "${unknown}"; there are ${Object.keys(PARTS).join(', ')}`);
};

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    json: { type: 'string' },
    large: { type: 'boolean', default: false },
    show: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    scale: { type: 'string' },
    'kube-folder': { type: 'string' },
  },
});

const numberOf = (value: string | undefined): number | undefined =>
  value === undefined ? undefined : Number(value);

const benchOptions: BenchOptions = {
  large: values.large,
  show: values.show,
  ...optional('rounds', numberOf(values.rounds)),
  ...optional('scale', numberOf(values.scale)),
  ...optional('kubeFolder', values['kube-folder']),
};
const results = await runAll(partsOf(values.only), benchOptions);
const groups = results.map((result) => ({ heading: headingOf(result), figures: result.figures }));
process.stdout.write(`\n${tableOf(groups).join('\n')}\n`);
if (values.json !== undefined) {
  const parts = results.map((result) => ({
    ...result,
    figures: result.figures.map((figure) => ({ ...figure, met: isMet(figure) })),
  }));
  writeFileSync(values.json, `${JSON.stringify({ machine: machine(), parts }, undefined, 2)}\n`);
}
