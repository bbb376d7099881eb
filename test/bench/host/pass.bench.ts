/** Passes of the monitor over a fleet in SQLite files. */
import {
  NODE_MONITOR_DEFAULTS,
  type NodeMonitorDeps,
  runPass,
} from '../../../lambdas/node-monitor/reconcile.ts';
import { createMemoryEventBus } from '../../../shared/adapters/memory/event-bus.ts';
import { openSqliteState, type SqliteState } from '../../../shared/adapters/sqlite/state.ts';
import { systemClock } from '../../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../../shared/adapters/system/id-source.ts';
import type { Clock } from '../../../shared/ports/process/clock.ts';
import { createEventRecorder } from '../../../shared/store/events/event-recorder.ts';
import { createObjectWriter } from '../../../shared/store/writer/object-writer.ts';
import type { Bench, Figure } from '../figures/figures.ts';
import { spread } from '../figures/statistics.ts';
import { inHostFolder } from './bench-host.ts';
import { storeHostFleet } from './stored-fleet.ts';

const FLEETS = [
  { nodes: 10_000, atMost: 1_000, isLarge: false },
  { nodes: 100_000, atMost: 5_000, isLarge: true },
] as const;
const PASSES = 5;

const depsOf = (state: SqliteState, clock: Clock): NodeMonitorDeps => {
  const writer = createObjectWriter({ ...state, clock, ids });
  const recorder = createEventRecorder({ writer, ids });
  return {
    ...state,
    clock,
    ids,
    writer,
    recorder,
    bus: createMemoryEventBus(),
    config: NODE_MONITOR_DEFAULTS,
  };
};

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
    const report = await runPass(depsOf(state, clock), tick);
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

export const hostPass: Bench = async ({ large }) => {
  const figures: Figure[] = [];
  for (const fleet of FLEETS.filter(({ isLarge }) => large || !isLarge)) figures.push(await figureOf(fleet));
  return figures;
};
