import { describe, expect, it } from 'vitest';
import { createHostMetrics } from '../../../../host/figures/host-metrics.ts';
import type { Invocation } from '../../../../host/queues/invocation.ts';
import { monitorPasses, runPasses, writeWhenFree } from '../../../../host/queues/monitor-passes.ts';
import { NODE_MONITOR_METRICS } from '../../../../lambdas/node-monitor/metrics.ts';
import { TICKS } from '../../../../lambdas/node-monitor/queue.ts';
import { runPass } from '../../../../lambdas/node-monitor/reconcile.ts';
import type { PassReport } from '../../../../lambdas/node-monitor/report.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import { addNode, beat } from '../../../support/planes/fleet.ts';

const PERIOD = 5_000;

/** A pass of the tick `tick` that holds its lease for `heldMs`, and the pass of the next tick, which begins at its instant. */
const twoPasses = async (heldMs: number, nodeMonitorPeriodMs = PERIOD) => {
  const plane = createMemoryControlPlane();
  const deps = { ...plane.invoke(), config: { ...plane.config, nodeMonitorPeriodMs } };
  const tick = plane.clock.now();
  const first = await plane.clock.run(deps.control.startPass(tick, tick, 10_000));
  plane.clock.advance(PERIOD);
  const ended = plane.clock
    .sleep(heldMs - PERIOD)
    .then(() => deps.control.endPass(first?.pass ?? 0, plane.clock.now()));
  const report = await plane.clock.run(writeWhenFree(deps, tick + PERIOD));
  const afterMs = plane.clock.now() - tick;
  await plane.clock.run(ended);
  return { report, afterMs, deps, tick, run: plane.clock.run };
};

it('a pass that an earlier one holds up begins when that is over', async () => {
  const { report, afterMs } = await twoPasses(6_250);
  expect(report).toMatchObject({ report: { pass: 2 } });
  expect(afterMs).toBeGreaterThanOrEqual(6_250);
  expect(afterMs).toBeLessThan(6_400);
});

it('a pass is left out when the next one is due before the earlier one is over', async () => {
  const { report, afterMs } = await twoPasses(9_000, 2_000);
  expect(report).toMatchObject({ outcome: 'skipped' });
  expect(afterMs).toBeLessThan(PERIOD + 2_200);
});

it('a second tick of the same instant does not wait', async () => {
  const { deps, tick, run } = await twoPasses(6_000);
  const second = tick + PERIOD;
  expect(await run(runPass(deps, second))).toMatchObject({ outcome: 'skipped' });
  const before = deps.clock.now();
  expect(await run(writeWhenFree(deps, second))).toMatchObject({ outcome: 'skipped' });
  expect(deps.clock.now()).toBe(before);
});

const GRACE = 40_000;
const MANY = 1_000;

/**
 * Nodes of which a fifth beats in each of five seconds, and all are silent then. Passes of the ticks in which they become Unknown, and the delays
 * (ms) from their last beats. `lookMs`: how long the host takes before each pass.
 */
const outage = async (nodes: number, isSettled = true, lookMs = (_look: number) => 0) => {
  const plane = createMemoryControlPlane();
  const deps = { ...plane.invoke(), config: plane.config };
  const { clock } = plane;
  const beatAt = new Map<string, number>();
  for (let place = 0; place < nodes; place += 1) {
    if (place % (nodes / 5) === 0) clock.advance(1_000);
    const name = `n${place}`;
    await addNode(plane, name, { ready: 'True' });
    await beat(plane, name);
    beatAt.set(name, clock.now());
  }
  // The first tick sees none silent, and all almost silent.
  clock.advance(GRACE - 4_000);
  const reports: PassReport[] = [];
  let looks = 0;
  const begin = async () => {
    looks += 1;
    await clock.sleep(lookMs(looks));
    return deps;
  };
  const told: PassReport[] = [];
  const around = {
    begin,
    isSettled: () => isSettled,
    onWritten: (one: PassReport) => reports.push(one),
    onTold: (one: PassReport) => told.push(one),
  };
  const tick = clock.now();
  await clock.run(runPasses(deps, tick, around));
  const endedAt = clock.now();
  clock.advance(Math.max(0, tick + PERIOD - endedAt));
  await clock.run(runPasses(deps, tick + PERIOD, around));
  const delays: number[] = [];
  for (const [name, at] of beatAt) {
    const row = await deps.objects.read({ resource: 'nodes', namespace: '', name });
    const since = row?.state === 'live' ? row.facts.node?.readyTransitionAt : undefined;
    delays.push((since ?? Number.POSITIVE_INFINITY) - at);
  }
  return { reports, told, looks, endedMs: endedAt - tick, delays };
};

describe('when many nodes fall silent', () => {
  it('passes follow each second until the next tick, so that each node is Unknown a second after its grace period', async () => {
    const { reports, told, looks, endedMs, delays } = await outage(MANY * 5);
    expect(reports).toMatchObject([1, 2, 3, 4, 5, 6].map((pass) => ({ pass })));
    expect(told).toHaveLength(6);
    expect(looks).toBe(6);
    expect(endedMs).toBeLessThan(PERIOD);
    expect(Math.max(...delays)).toBeLessThanOrEqual(GRACE + 1_000);
  });

  it('one that begins after the next tick, because the host was busy, does not take its place', async () => {
    const { reports } = await outage(MANY * 5, true, (look) => (look === 5 ? 1_100 : 0));
    expect(reports.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 6 }, () => 'done'));
  });

  it.each([
    ['are fewer', MANY - 5, true],
    ['come back to a host that was away', MANY * 5, false],
  ])('only ticks begin passes if they %s', async (_, nodes, isSettled) => {
    const { reports, delays } = await outage(nodes, isSettled);
    expect(reports).toHaveLength(2);
    expect(Math.max(...delays)).toBeGreaterThan(GRACE + 4_000);
  });
});

describe('ticks after a return of the host', () => {
  const setUp = () => {
    const plane = createMemoryControlPlane();
    const state = { returns: 0, isBroken: false, sent: 0 };
    const ports = plane.invoke();
    const send: typeof ports.queues.send = async (queue, messages) => {
      if (queue !== TICKS.name) return ports.queues.send(queue, messages);
      if (state.isBroken) throw new Error('the queue is away');
      state.sent += 1;
      return undefined;
    };
    const handle = monitorPasses({
      ...ports,
      config: plane.config,
      queues: { ...ports.queues, send },
      monitorObjects: ports.objects,
      passWriter: () => ports.writer,
      presence: { observe: async () => undefined, returns: () => state.returns, comebackUntil: () => 0 },
      metrics: createHostMetrics(Object.values(NODE_MONITOR_METRICS)),
    } as unknown as Invocation);
    const pass = (): Promise<void> => {
      plane.clock.advance(PERIOD);
      return handle({ v: 1, kind: 'tick', at: plane.clock.now() });
    };
    return { state, pass, run: plane.clock.run };
  };

  it('are sent once, however many passes begin together', async () => {
    const { state, pass, run } = setUp();
    await run(pass());
    expect(state.sent).toBe(0);
    state.returns = 1;
    await run(Promise.all([pass(), pass(), pass()]));
    await run(pass());
    expect(state.sent).toBe(1);
    state.returns = 2;
    await run(pass());
    expect(state.sent).toBe(2);
  });

  it('are sent by the next pass if they could not be sent', async () => {
    const { state, pass, run } = setUp();
    state.returns = 1;
    state.isBroken = true;
    await expect(run(pass())).rejects.toThrow('the queue is away');
    state.isBroken = false;
    await run(pass());
    await run(pass());
    expect(state.sent).toBe(1);
  });
});
