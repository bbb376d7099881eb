/**
 * `npm run test:abuse [-- --only TEXT] [--rounds N]`: everything that hurts, sent to a real host while nodes beat. Beats are
 * answered throughout, and afterwards the host keeps no more memory than before.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { report, type Verdict } from '../runner/recorded-host.ts';
import { type BeatFigures, type Beats, startBeats } from './beats.ts';
import { type Client, createClient } from './client.ts';
import { type AbusedHost, startAbusedHost } from './host.ts';
import { STALL_MS } from './limits.ts';
import { type Settled, settle } from './memory.ts';
import type { Row } from './row.ts';
import { ROWS } from './rows.ts';
import { prepare, storeMarkers } from './setup.ts';

const BEAT_MS = 100;
const CALM_MS = 4_000;
const CLOSING_MS = 500;
/**
 * Milliseconds within which beats are answered: all but one in a hundred in every round, and all of them in one round of each row
 * at least. What a beat waited because the machine ran something else while the host, or the sender, was ready to run does not count: a
 * machine that is shared makes beats late without any abuse.
 */
const LATE_MS = 250;
/** Growth of what is kept from the second round to the last: of the whole, and MB that are noise. */
const GROWTH = 0.05;
const NOISE_MB = 8;
const METRICS_CHARACTERS = 200_000;

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, rounds: { type: 'string', default: '3' } },
});
const rows = ROWS.filter(({ name }) => name.includes(values.only));
const rounds = Number(values.rounds);

const shown = ({ count, p50Ms, p99Ms, maxMs, ownP99Ms, ownMaxMs }: BeatFigures): string =>
  `${String(count).padStart(5)} beats, p50 ${p50Ms.toFixed(0)}, p99 ${p99Ms.toFixed(0)}, max ${maxMs.toFixed(0)} ms, by the host ${ownP99Ms.toFixed(0)} and ${ownMaxMs.toFixed(0)} ms`;

interface Abused {
  readonly wrong: readonly string[];
  readonly beats: BeatFigures;
  readonly stallMs: number;
}

/** Counted in time of the processor, so that no other program can make it longer. */
const stallOf = ({ stallMs }: Abused): readonly string[] =>
  stallMs > STALL_MS ? [`the host did not listen for ${stallMs.toFixed(0)} ms of the processor`] : [];

const latenessOf = (what: string, ms: number): readonly string[] =>
  ms > LATE_MS ? [`${what} is ${ms.toFixed(0)} ms of the host's own time`] : [];

/** What is wrong even if it happens once. */
const failuresOf = (run: Abused): readonly string[] => [
  ...stallOf(run),
  ...latenessOf('p99 of beats', run.beats.ownP99Ms),
];

/** What may be wrong by chance, and is not in every run. */
const faultsOf = ({ wrong, beats }: Abused): readonly string[] => [
  ...wrong,
  ...latenessOf('the latest beat', beats.ownMaxMs),
  ...(beats.count === 0 ? ['no beat was answered'] : []),
  ...(beats.failures.length > 0 ? [`${beats.failures.length} beats failed: ${beats.failures[0]}`] : []),
];

interface Run {
  readonly host: AbusedHost;
  readonly client: Client;
  readonly beats: Beats;
}

const runRow = async ({ name, abuse }: Row, round: number, { host, beats }: Run): Promise<Abused> => {
  const client = createClient(host);
  const startedAt = performance.now();
  const wrong = await abuse({ host, client, round }).finally(client.close);
  // What the host does when all connections of a row end at once counts, too.
  await wait(CLOSING_MS);
  const [figures, { stallMs }] = [await beats.take(), await host.ask('figures')];
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(5);
  console.log(`${round} ${seconds} s  ${name.padEnd(58)}${shown(figures)}, stall ${stallMs.toFixed(0)} ms`);
  for (const fault of wrong) console.log(`${round}          ${fault}`);
  return { wrong, beats: figures, stallMs };
};

/** Beats while nobody does any harm. */
const runCalm = async (beats: Beats): Promise<void> => {
  await beats.take();
  await wait(CALM_MS);
  console.log(`calm${' '.repeat(66)}${shown(await beats.take())}`);
};

/** A row fails when the host stalled or beats were late in any of its runs, or when something else was wrong in every one. */
const verdictOf = (name: string, runs: readonly Abused[]): Verdict => {
  const faults = runs.map(faultsOf);
  const isWrong = faults.every((found) => found.length > 0);
  const problems = [...runs.flatMap(failuresOf), ...(isWrong ? (faults.at(-1) ?? []) : [])];
  return { name, ...(problems.length > 0 ? { problem: problems.join('; ') } : {}) };
};

const sizeOf = ({ rssMb, keptMb, metrics }: Settled): string =>
  `kept ${keptMb.toFixed(1)} MB, resident ${rssMb.toFixed(0)} MB, /metrics ${metrics} characters`;

const growthOf = (settled: readonly Settled[]): Verdict => {
  const [before, after] = [settled.at(-2), settled.at(-1)];
  const most = (before?.keptMb ?? 0) * (1 + GROWTH) + NOISE_MB;
  const grew = settled.length > 1 && !((after?.keptMb ?? Number.NaN) <= most);
  return {
    name: 'what is kept',
    ...(grew ? { problem: `${after?.keptMb.toFixed(1)} MB after ${before?.keptMb.toFixed(1)} MB` } : {}),
  };
};

const metricsOf = (settled: readonly Settled[]): Verdict => {
  const largest = Math.max(...settled.map(({ metrics }) => metrics));
  return {
    name: 'the size of /metrics',
    ...(largest < METRICS_CHARACTERS ? {} : { problem: `${largest} characters` }),
  };
};

const runRounds = async (run: Run): Promise<readonly Verdict[]> => {
  const { host, client, beats } = run;
  const runs = new Map(rows.map((row): [Row, Abused[]] => [row, []]));
  const settled: Settled[] = [];
  await runCalm(beats);
  for (let round = 1; round <= rounds; round += 1) {
    await host.ask('figures');
    for (const [row, before] of runs) before.push(await runRow(row, round, run));
    settled.push(await settle(host, client));
    console.log(`${round}  ${settled.map(sizeOf).at(-1)}`);
    await runCalm(beats);
  }
  const verdicts = [...runs].map(([{ name }, ofRow]) => verdictOf(name, ofRow));
  return [...verdicts, growthOf(settled), metricsOf(settled)];
};

const runAll = async (host: AbusedHost, client: Client): Promise<readonly Verdict[]> => {
  const tokens = await prepare(host, client);
  const beats = startBeats({ url: host.url.href, ca: host.ca, tokens, everyMs: BEAT_MS, pid: host.pid });
  try {
    return await runRounds({ host, client, beats });
  } finally {
    await beats.stop();
  }
};

const folder = mkdtempSync(join(tmpdir(), 'rollcall-abuse-'));
await storeMarkers(folder);
const host = await startAbusedHost(folder);
const client = createClient(host);
try {
  report('test:abuse', await runAll(host, client), 0);
  console.log(`${host.output().split('\n').length} lines of log`);
} finally {
  client.close();
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
}
