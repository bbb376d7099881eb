/** How fast a host marks the nodes of an outage: its monitor over files, with the groups of its commits. */
import { setImmediate as turn } from 'node:timers/promises';
import { createGroupCommit, MOST_TOGETHER } from '../../../host/folder/group-commit.ts';
import { NODE_MONITOR_DEFAULTS, runPass } from '../../../lambdas/node-monitor/reconcile.ts';
import { createMemoryEventBus } from '../../../shared/adapters/memory/event-bus.ts';
import { openSqliteState } from '../../../shared/adapters/sqlite/state.ts';
import { systemClock } from '../../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../../shared/adapters/system/id-source.ts';
import type { Clock } from '../../../shared/ports/process/clock.ts';
import { createEventRecorder } from '../../../shared/store/events/event-recorder.ts';
import { createObjectWriter } from '../../../shared/store/writer/object-writer.ts';
import type { Bench, Figure } from '../figures/figures.ts';
import { inHostFolder } from './bench-host.ts';
import { storeHostFleet } from './stored-fleet.ts';

const NODES = 12_000;
const SILENT_MS = 41_000;
const LONG_MS = 600_000;

const measured = async (folder: string): Promise<readonly Figure[]> => {
  await storeHostFleet(folder, { nodes: NODES, pods: 0 });
  // Two of three zones have fallen silent; the others beat just now.
  const clock: Clock = { ...systemClock, now: () => Date.now() + SILENT_MS };
  const state = openSqliteState({ folder, clock });
  const { monitor: commit } = createGroupCommit(state.commitTogether);
  const objects = { ...state.objects, commit };
  const writer = createObjectWriter({ ...state, objects, clock, ids });
  let events = 0;
  const record = async (): Promise<void> => {
    events += 1;
  };
  const recorder = { ...createEventRecorder({ writer, ids }), record };
  const config = {
    ...NODE_MONITOR_DEFAULTS,
    writeBudgetMs: LONG_MS,
    passLeaseMs: LONG_MS,
    writeConcurrency: MOST_TOGETHER,
  };
  const before = { at: performance.now(), cpu: process.cpuUsage() };
  const report = await runPass(
    {
      ...state,
      objects,
      clock,
      ids,
      writer,
      recorder,
      bus: createMemoryEventBus(),
      config,
      pause: () => turn(),
    },
    clock.now(),
  );
  const { user, system } = process.cpuUsage(before.cpu);
  const seconds = (performance.now() - before.at) / 1_000;
  state.close();
  if (report.outcome !== 'done' || report.flips !== NODES) throw new Error('not all nodes are Unknown');
  return [
    { name: 'nodes marked Unknown', unit: '1/s', value: NODES / seconds, note: `${events} Events` },
    { name: 'processor time of each', unit: 'ms', value: (user + system) / 1_000 / NODES },
  ];
};

export const hostFlips: Bench = () => inHostFolder(measured);
