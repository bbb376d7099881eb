/**
 * Runs in a process of its own, so that its memory is that of a host and its passes: passes of the monitor over nodes behind relays, in SQLite
 * files. Before each pass each part gets a batch. Prints a `RelayedPassReport`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createTurns } from '../../../host/folder/turns.ts';
import { keepingPlaces, runPass } from '../../../lambdas/node-monitor/reconcile.ts';
import { openSqliteState, type SqliteState } from '../../../shared/adapters/sqlite/state.ts';
import { systemClock } from '../../../shared/adapters/system/clock.ts';
import type { Clock } from '../../../shared/ports/process/clock.ts';
import type { StoredPart } from '../../../shared/store/beats/relayed-items.ts';
import { longestTurnOf } from '../bodies/turns.ts';
import { beatsAt, partsFor } from './large/relayed-parts.ts';
import { monitorDeps } from './monitor-deps.ts';
import { storeHostFleet } from './stored-fleet.ts';

export interface RelayedPassReport {
  readonly passMs: readonly number[];
  /** Processor milliseconds of the longest turn of the event loop in each pass. */
  readonly turnsMs: readonly number[];
  /** MB of V8 and of buffers, after a garbage collection: before the first pass, and after the last. */
  readonly heldBeforeMb: number;
  readonly heldAfterMb: number;
  /** Most resident MB in the passes. */
  readonly peakRssMb: number;
}

const PASSES = 7;
const PERIOD_MS = 5_000;
const DAY_MS = 24 * 3_600_000;
const MB = 2 ** 20;

const [folder = '', nodes = '100000'] = process.argv.slice(2);

const heldMb = (): number => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / MB;
};

const peakRssMb = (): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;

let tick = Date.now();
const clock: Clock = { ...systemClock, now: () => tick };

const sendBatches = async ({ heartbeats }: SqliteState, parts: readonly StoredPart[], sequence: number) => {
  for (const { part } of parts)
    await heartbeats.replaceRelayed(part, sequence - 1, beatsAt(sequence, tick), tick + DAY_MS);
};

const parts = partsFor(Number(nodes), tick);
await storeHostFleet(folder, { nodes: Number(nodes), pods: 0, relays: parts });
const state = openSqliteState({ folder, clock });
const deps = keepingPlaces({ ...monitorDeps(state, clock), pause: createTurns().pause });
const [passMs, turnsMs]: [number[], number[]] = [[], []];

const timedPass = async (): Promise<void> => {
  const startedAt = performance.now();
  const report = await runPass(deps, tick);
  passMs.push(performance.now() - startedAt);
  if (report.outcome !== 'done' || report.nodes !== Number(nodes) || report.flips > 0)
    throw new Error('no whole pass');
};

const heldBeforeMb = heldMb();
// What the process took to make the fleet is not part of a pass.
writeFileSync('/proc/self/clear_refs', '5');
for (let pass = 0; pass < PASSES; pass += 1) {
  tick += PERIOD_MS;
  await sendBatches(state, parts, pass + 2);
  globalThis.gc?.();
  turnsMs.push(await longestTurnOf(timedPass));
}
const report: RelayedPassReport = {
  passMs,
  turnsMs,
  heldBeforeMb,
  peakRssMb: peakRssMb(),
  heldAfterMb: heldMb(),
};
process.stdout.write(JSON.stringify(report), () => process.exit());
