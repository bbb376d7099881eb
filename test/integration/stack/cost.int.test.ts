/** What the deployed stack consumes is what `rollcall cost` computes with, within a tenth. Whatever a busy machine delays, the units of each run and pass stay. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CALM_METRICS,
  EMPTY_RUN,
  LOG_BYTES,
  PASS,
  RUNS,
  type Run,
  TICK,
} from '../../../cli/cost/measured.ts';
import { cliToken } from '../support/deployment.ts';
import { functionLogs } from '../support/function-logs.ts';
import { countFor, type FunctionCounts, hasGuard } from '../support/guard-counts.ts';
import { beatTimes, type Machine, startMachine } from '../support/machine.ts';

const NODES = 20;
const ZONES = 3;
const WINDOW_MS = 62_000;
/** Until passes are calm: they must have seen the same counter of Nodes for 15 s. */
const SETTLE_MS = 20_000;
const MOST_SETTLES = 3;
const TENTH = 0.1;
/** Queries of a read of all Nodes, of deadlines, of terminated pods: one for each shard. */
const SHARDS = { nodes: 16, deadlines: 8, terminated: 16 };
const BUILT_IN_NAMESPACES = 4;
/** Parts in which a pass scans the beats. */
const SCANS_OF_PASS = 4;

const runOf = (name: string): Run => {
  const run = RUNS[name];
  if (!run) throw new Error(`no schedule ${name}`);
  return run;
};

/** Of one run that looks at so many nodes; most runs of some schedules look at none. */
const readsOf = (name: string, nodes = 0): number => {
  const { reads, readsOfNode = 0 } = runOf(name);
  return reads + readsOfNode * nodes;
};

const expectTenth = (counted: number, computed: number, what: string): void => {
  process.stdout.write(`${what}: counted ${counted}, computed ${computed.toFixed(1)}\n`);
  expect(Math.abs(counted - computed), `${what}: ${counted}, computed ${computed}`).toBeLessThanOrEqual(
    computed * TENTH,
  );
};

/** Passes, and runs of the rule of the ticks, in a while. */
const monitorRuns = (monitor: FunctionCounts) => ({
  ticks: monitor.calls('dynamodb:BatchGetItem', '-control'),
  passes: monitor.calls('dynamodb:Scan', '-heartbeats') / SCANS_OF_PASS,
});

/** Until nothing follows from the new Nodes any more. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < MOST_SETTLES; turn += 1) {
    const counts = await countFor(SETTLE_MS);
    if (
      ['Pods', 'Workloads'].every((id) => counts(id).units('write', 'control') === 0) &&
      counts('Pods').calls('dynamodb:GetItem', '-control') <= 1
    )
      return;
  }
};

describe.skipIf(!hasGuard)('what the stack consumes', () => {
  const machines: Machine[] = [];
  let counts: Awaited<ReturnType<typeof countFor>>;
  let lines: readonly { readonly _aws?: object }[] = [];
  let bytes = 0;
  let beats = 0;

  const leave = (): Promise<unknown> => Promise.all(machines.splice(0).map((machine) => machine.leave()));

  beforeAll(async () => {
    const admin = cliToken('--admin');
    const places = Array.from({ length: NODES }, (_none, place) => place);
    const start = (place: number): Promise<Machine> =>
      startMachine(admin, `cost-${place}`, `zone-cost-${place % ZONES}`, 'lease');
    machines.push(...(await Promise.all(places.map(start))));
    await settle();
    const since = Date.now();
    const beatsBefore = beatTimes.length;
    counts = await countFor(WINDOW_MS);
    beats = beatTimes.length - beatsBefore;
    const logs = (await functionLogs('NodeMonitor', since)).filter((line) => line.startsWith('{'));
    bytes = logs.reduce((sum, line) => sum + line.trim().length, 0);
    lines = logs.map((line) => JSON.parse(line));
  }, 300_000);

  afterAll(async () => {
    await leave();
  }, 120_000);

  it('of a beat is one write', () => {
    const heartbeat = counts('Heartbeat');
    expect(beats).toBeGreaterThan(NODES);
    expectTenth(heartbeat.units('write', 'heartbeats'), beats, 'beats');
    expect(heartbeat.units('read', 'heartbeats') + heartbeat.units('read', 'objects')).toBe(0);
  });

  it('of the node monitor are its ticks, runs and passes', () => {
    const monitor = counts('NodeMonitor');
    const { ticks, passes } = monitorRuns(monitor);
    const runs = Math.round(WINDOW_MS / 60_000);
    const own = PASS.own.reads + (PASS.reads * NODES) / PASS.nodes;
    const reads = ['control', 'objects', 'heartbeats'].reduce(
      (sum, table) => sum + monitor.units('read', table),
      0,
    );
    expect(passes).toBeGreaterThan(0);
    expect(passes).toBeLessThan(ticks / 4);
    expectTenth(reads, ticks * TICK.reads + passes * own, 'reads of the node monitor');
    const writes = passes * (PASS.own.writes + PASS.own.writesOfZone * ZONES);
    expectTenth(
      monitor.units('write', 'control'),
      writes + runs * runOf('node-monitor ticks').writes,
      'writes of the node monitor',
    );
  });

  it('of sweeps is what each takes', () => {
    const pods = counts('Pods');
    const collected = pods.calls('dynamodb:Query', 'index/terminated-pods') / SHARDS.terminated;
    const swept = pods.calls('dynamodb:Query', 'index/deadlines') / SHARDS.deadlines;
    const drained = pods.calls('dynamodb:Query', '-objects');
    const released = pods.calls('dynamodb:GetItem', '-control');
    // Others than the sweeps write, or read what they know of single nodes: then no total is known.
    const isQuiet = pods.units('write', 'control') === 0 && released === drained;
    const computed =
      swept * readsOf('pods sweep', NODES) +
      drained * readsOf('pods drain-sweep') +
      released * readsOf('pods capacity-sweep') +
      collected * readsOf('pods pod-gc-sweep', NODES);
    if (isQuiet)
      expectTenth(pods.units('read', 'objects') + pods.units('read', 'control'), computed, 'sweeps of pods');
    const workloads = counts('Workloads');
    const namespaces = workloads.calls('dynamodb:GetItem', '-objects') / BUILT_IN_NAMESPACES;
    // The sweep of the garbage collector, which runs each hour, queries each kind.
    if (workloads.calls('dynamodb:Query', '-objects') === namespaces)
      expectTenth(
        workloads.units('read', 'objects'),
        namespaces * readsOf('workloads namespace-sweep'),
        'sweeps of namespaces',
      );
  });

  it('are the metrics of a calm fleet', () => {
    const names = lines.flatMap((line) => [...JSON.stringify(line._aws ?? {}).matchAll(/"Name":"([^"]+)"/g)]);
    const emitted = new Set(names.map(([, name]) => name));
    // The setting zoneMetrics is off.
    const calm = CALM_METRICS.filter((name) => !name.startsWith('zone_'));
    expect(new Set(emitted)).toEqual(new Set([...calm, 'monitor_lag_seconds']));
  });

  it('are the bytes of its log', () => {
    const { passes } = monitorRuns(counts('NodeMonitor'));
    const runs = Math.round(WINDOW_MS / 60_000);
    const computed = runs * LOG_BYTES.run + passes * LOG_BYTES.pass;
    expectTenth(bytes, computed, 'bytes of the log');
  });

  it('without nodes is a run of the rule a minute', async () => {
    await leave();
    const monitor = (await countFor(WINDOW_MS))('NodeMonitor');
    const { ticks, passes } = monitorRuns(monitor);
    const looks = monitor.calls('dynamodb:Query', 'index/node-health') / SHARDS.nodes - passes;
    expectTenth(
      monitor.units('read', 'objects') +
        monitor.units('read', 'control') +
        monitor.units('read', 'heartbeats'),
      (ticks - looks) * TICK.reads + looks * EMPTY_RUN.reads + passes * PASS.own.reads,
      'reads without nodes',
    );
  });
});
