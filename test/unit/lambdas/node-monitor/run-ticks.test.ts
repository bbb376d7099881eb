import { describe, expect, it } from 'vitest';
import { MonitorTick } from '../../../../lambdas/node-monitor/message.ts';
import { telemetry } from '../../../../lambdas/node-monitor/metrics.ts';
import { runPass } from '../../../../lambdas/node-monitor/reconcile.ts';
import { runTicks } from '../../../../lambdas/node-monitor/run-ticks.ts';
import { work } from '../../../../lambdas/node-monitor/work.ts';
import type { OutgoingMessage } from '../../../../shared/ports/process/work-queue.ts';
import type { ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import * as fleet from '../../../support/planes/fleet.ts';

const MINUTE = 60_000;

/** A plane whose schedules do not run: each test decides what runs. */
const aPlane = async (names: readonly string[]): Promise<ControlPlane> => {
  const plane = createMemoryControlPlane();
  for (const name of names) await fleet.addNode(plane, name, { ready: 'True' });
  return plane;
};

const QUIET = { send: async () => undefined };

const pass = (plane: ControlPlane, ports: object = {}) =>
  plane.clock.run(runPass({ ...plane.invoke(), config: plane.config, ...ports }, plane.clock.now()));

const lag = async (plane: ControlPlane, ports: object = {}): Promise<number> =>
  (await runTicks({ ...plane.invoke(), config: plane.config, queues: QUIET, ...ports })).lagMs;

/** The lags of the next minutes, with what happens before each. */
const lags = async (plane: ControlPlane, minutes: number, each: () => Promise<unknown>) => {
  const found: number[] = [];
  for (let minute = 0; minute < minutes; minute++) {
    plane.clock.advance(MINUTE);
    await each();
    found.push(await lag(plane));
  }
  return found;
};

const nothing = async (): Promise<void> => undefined;

describe('the lag of passes', () => {
  it('is small while passes come to their end', async () => {
    const plane = await aPlane(['n1']);
    expect(await lags(plane, 3, () => pass(plane))).toEqual([0, 0, 0]);
  });

  it('grows while no pass begins: ticks are lost, or the event source is disabled', async () => {
    const plane = await aPlane(['n1']);
    await pass(plane);
    expect(await lags(plane, 5, nothing)).toEqual([1, 2, 3, 4, 5].map((minutes) => minutes * MINUTE));
  });

  it('grows while each pass fails, although its lease is ended each time', async () => {
    const plane = await aPlane(['n1']);
    await pass(plane);
    const objects = {
      ...plane.invoke().objects,
      nodeHealth: () => {
        throw new Error('no table');
      },
    };
    const failing = () => expect(pass(plane, { objects })).rejects.toThrow('no table');
    expect(await lags(plane, 5, failing)).toEqual([1, 2, 3, 4, 5].map((minutes) => minutes * MINUTE));
    plane.clock.advance(1);
    await pass(plane);
    expect(await lag(plane)).toBe(0);
  });

  it('is not that of a pass that could not tell what it has found: it has written it', async () => {
    const plane = await aPlane(['n1']);
    await pass(plane);
    plane.clock.advance(5 * MINUTE);
    const bus = { publish: () => Promise.reject(new Error('no bus')) };
    await pass(plane, { bus }).catch(() => undefined);
    expect(await lag(plane)).toBe(0);
  });

  it('counts from the oldest node where no pass has ever come to its end', async () => {
    const plane = await aPlane(['n1']);
    plane.clock.advance(2 * MINUTE);
    await fleet.addNode(plane, 'n2', { ready: 'True' });
    plane.clock.advance(MINUTE);
    expect(await lag(plane)).toBeGreaterThanOrEqual(3 * MINUTE);
  });

  it('is 0 without nodes, whether or not there were passes, and counts again from the first node', async () => {
    const plane = await aPlane([]);
    expect(await lags(plane, 2, nothing)).toEqual([0, 0]);
    await pass(plane);
    expect(await lags(plane, 2, nothing)).toEqual([0, 0]);
    await fleet.addNode(plane, 'n1', { ready: 'True' });
    const [first = 0, second = 0] = await lags(plane, 2, nothing);
    expect([first, second - first]).toEqual([MINUTE, MINUTE]);
  });

  it('is not hidden by a pass whose clock was ahead', async () => {
    const plane = await aPlane(['n1']);
    await pass(plane);
    const { control } = plane.state;
    const record = await control.readPass();
    const ahead = { at: plane.clock.now() + 60 * MINUTE, nodes: 1 };
    await control.endPass(record?.pass ?? 0, plane.clock.now(), ahead);
    expect((await lags(plane, 5, nothing)).every((ms) => ms >= MINUTE)).toBe(true);
    await pass(plane);
    expect(await lag(plane)).toBe(0);
  });

  it.each([
    ['is 0 while none is needed', 20_000, 10_000, 0],
    ['counts from when one was needed again', 20_000, 30_000, 10_000],
    ['counts from the pass if none was ever left out', 0, 10_000, 10_000],
    ['counts from the pass if the clock was set back since', 60_000, 10_000, 10_000],
  ])('%s', async (_, calmForMs, afterMs, lagMs) => {
    const plane = await aPlane(['n1']);
    const now = plane.clock.now();
    const { control } = plane.state;
    await control.startPass(now, now, 10_000);
    const calm = { calmUntil: now + calmForMs, counter: 1, counterSince: now - 20_000 };
    await control.endPass(1, now, { at: now, nodes: 1, calm });
    plane.clock.advance(afterMs);
    expect(await lag(plane)).toBe(lagMs);
    expect(await lag(plane, { skipsCalmPasses: true })).toBe(lagMs);
  });

  it('does not look for nodes while passes come to their end', async () => {
    const plane = await aPlane(['n1']);
    await pass(plane);
    plane.clock.advance(5_000);
    const objects = {
      nodeHealth: () => {
        throw new Error('it looked');
      },
    };
    expect(await lag(plane, { objects })).toBe(5_000);
  });
});

describe('ticks that are queued once (G-22)', () => {
  /** Runs after each of these waits (ms): the instants of the ticks that each queued, in periods since the first run. */
  const queued = async (waits: readonly number[], control: object = {}) => {
    const plane = createMemoryControlPlane({ skipsCalmPasses: true });
    plane.clock.advance(5_000 - (plane.clock.now() % 5_000));
    const from = plane.clock.now();
    const runs: number[][] = [];
    const queues = {
      send: async (_: string, sent: readonly OutgoingMessage[]) =>
        void runs.at(-1)?.push(...sent.map(({ body }) => (MonitorTick.parse(body).at - from) / 5_000)),
    };
    for (const ms of waits) {
      plane.clock.advance(ms);
      runs.push([]);
      const given = { ...plane.invoke(), queues };
      await runTicks({ ...given, control: { ...given.control, ...control } }).catch(() => undefined);
    }
    return runs;
  };
  const upTo = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index);

  it('are those of two minutes first, and then those of the next minute', async () => {
    expect(await queued([0, 60_000, 60_000])).toEqual([upTo(1, 24), upTo(25, 36), upTo(37, 48)]);
  });

  it('have neither gaps nor repetitions if runs are late or early', async () => {
    const runs = await queued([1, 59_000, 89_999, 3_000, 40_001]);
    expect(runs.flat()).toEqual(upTo(1, runs.at(-1)?.at(-1) ?? 0));
  });

  it('begin now if no run came for two minutes', async () => {
    expect(await queued([0, 200_000])).toEqual([upTo(1, 24), upTo(41, 64)]);
  });

  it('come twice after a crash before the end was stored', async () => {
    const noteQueued = () => Promise.reject(new Error('crash'));
    expect(await queued([0, 60_000], { noteQueued })).toEqual([upTo(1, 24), upTo(13, 36)]);
  });

  it('come again if the clock was set back by more than runs are apart', async () => {
    expect(await queued([600_000, -300_000])).toEqual([upTo(121, 144), upTo(61, 84)]);
  });
});

describe('a run of the schedule', () => {
  it('queues the ticks before it measures, and emits nothing if it could not', async () => {
    const plane = await aPlane(['n1']);
    let sent = 0;
    const send = async (): Promise<void> => {
      sent += 1;
    };
    const queues = { send };
    const control = { readPass: () => Promise.reject(new Error('no table')) };
    await expect(lag(plane, { queues, control })).rejects.toThrow('no table');
    expect(sent).toBe(1);
    const broken = { send: () => Promise.reject(new Error('no queue')) };
    await expect(lag(plane, { queues: broken })).rejects.toThrow('no queue');
  });

  it('is measured in seconds, on AWS and on a host', async () => {
    const plane = await aPlane(['n1']);
    await pass(plane);
    plane.clock.advance(5_000);
    const [measurement] = telemetry.metricsOf({ outcome: 'queued', lagMs: 5_000 });
    expect(measurement).toMatchObject({ metric: { name: 'monitor_lag_seconds' }, samples: [{ value: 5 }] });
    const { measurements } = await work.runs.ticks({ ...plane.invoke(), queues: QUIET });
    expect(measurements).toMatchObject([measurement]);
  });
});
