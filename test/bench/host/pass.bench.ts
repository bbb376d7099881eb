/** Passes of the monitor over a fleet in SQLite files. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { runPass } from '../../../lambdas/node-monitor/reconcile.ts';
import { openSqliteState } from '../../../shared/adapters/sqlite/state.ts';
import { systemClock } from '../../../shared/adapters/system/clock.ts';
import type { Clock } from '../../../shared/ports/process/clock.ts';
import type { Bench, Figure } from '../figures/figures.ts';
import { spread } from '../figures/statistics.ts';
import { bundle, inTemporaryFolder } from '../package/bundle.ts';
import { inHostFolder } from './bench-host.ts';
import { monitorDeps } from './monitor-deps.ts';
import type { RelayedPassReport } from './relayed-pass.ts';
import { storeHostFleet } from './stored-fleet.ts';

const FLEETS = [
  { nodes: 10_000, atMost: 1_000, isLarge: false },
  { nodes: 100_000, atMost: 5_000, isLarge: true },
] as const;
const PASSES = 5;

/** The first pass reads files that nobody has read; it counts like the others. */
const passesOver = async (folder: string, nodes: number): Promise<readonly number[]> => {
  await storeHostFleet(folder, { nodes, pods: 0 });
  const startedAt = Date.now();
  // The fleet has beaten at the start: time stands still, or it would fall silent while it is measured.
  let tick = startedAt;
  const clock: Clock = { ...systemClock, now: () => tick };
  const state = openSqliteState({ folder, clock });
  const times: number[] = [];
  for (let pass = 0; pass < PASSES; pass += 1) {
    tick += 1;
    const before = performance.now();
    const report = await runPass(monitorDeps(state, clock), tick);
    times.push(performance.now() - before);
    if (report.outcome !== 'done' || report.nodes !== nodes || report.flips > 0)
      throw new Error('no whole pass');
  }
  state.close();
  return times;
};

const figureOf = async ({ nodes, atMost }: (typeof FLEETS)[number]): Promise<Figure> => {
  const times = await inHostFolder((folder) => passesOver(folder, nodes));
  return { name: `pass over ${nodes} nodes in SQLite`, unit: 'ms', ...spread(times), target: { atMost } };
};

const RELAYED = 100_000;
const SCRIPT = 'test/bench/host/relayed-pass.ts';
/** Processor milliseconds for which a pass may hold up a beat. */
const LONGEST_TURN_MS = 50;

const relayedReport = (): Promise<RelayedPassReport> =>
  inTemporaryFolder(async (scripts) => {
    const script = await bundle(SCRIPT, scripts);
    return inHostFolder(async (folder) => {
      const args = ['--expose-gc', script, folder, String(RELAYED)];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      return JSON.parse(stdout) as RelayedPassReport;
    });
  });

/** What a pass over nodes behind relays takes, and for how long it holds up others. */
export const hostRelayedPass: Bench = async () => {
  const { passMs, turnsMs, heldBeforeMb, heldAfterMb, peakRssMb } = await relayedReport();
  const fleet = `${RELAYED} nodes behind relays`;
  return [
    {
      name: `pass over ${fleet}`,
      unit: 'ms',
      ...spread(passMs),
      note: `the first ${passMs[0]?.toFixed(0)} ms`,
    },
    {
      name: 'longest turn of the event loop in them, processor time',
      unit: 'ms',
      value: Math.max(...turnsMs),
      target: { atMost: LONGEST_TURN_MS },
      note: `of each pass: ${turnsMs.map((ms) => ms.toFixed(0)).join(', ')}`,
    },
    {
      name: `peak RSS in passes over ${fleet}`,
      unit: 'MB',
      value: peakRssMb,
      note: `held after GC: ${heldBeforeMb.toFixed(0)} MB before them, ${heldAfterMb.toFixed(0)} MB after`,
    },
  ];
};

export const hostPass: Bench = async ({ large }) => {
  const figures: Figure[] = [];
  for (const fleet of FLEETS.filter(({ isLarge }) => large || !isLarge)) figures.push(await figureOf(fleet));
  return figures;
};
