import { describe, expect, it } from 'vitest';
import { reconcile } from '../../../../lambdas/node-eviction/reconcile.ts';
import type { OutgoingMessage } from '../../../../shared/ports/process/work-queue.ts';
import type { ZoneRecord } from '../../../../shared/ports/store/control-store.ts';
import { withHolds } from '../../../../shared/store/writer/destruction.ts';
import { createObjectWriter } from '../../../../shared/store/writer/object-writer.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import * as fleet from '../../../support/planes/fleet.ts';

const MESSAGE = { v: 1, kind: 'zone', zone: 'a' } as const;

/** A zone with unready nodes, and queues that only record what is sent. */
const setUp = async (names: readonly string[], parts: Partial<ZoneRecord> = {}) => {
  const plane = createMemoryControlPlane();
  const { clock, state } = plane;
  for (const name of names) await fleet.addNode(plane, name, { zone: 'a', ready: 'Unknown' });
  const { wakeAt, ...zone }: ZoneRecord = {
    id: 'a',
    key: ':\0:a',
    state: 'Normal',
    size: 5,
    notReady: names.length,
    limiter: { rate: 0.1, nextAt: clock.now() },
    waiting: names,
    waitingCount: names.length,
    pass: 1,
    updatedAt: clock.now(),
    ...parts,
  };
  await state.control.writeZone(zone, undefined);
  if (wakeAt !== undefined) await state.control.moveWakeAt('a', undefined, wakeAt);
  const sent: OutgoingMessage[] = [];
  const queues = {
    send: async (_: string, messages: readonly OutgoingMessage[]) => void sent.push(...messages),
  };
  const run = (ports: Partial<Parameters<typeof reconcile>[0]> = {}) =>
    clock.run(reconcile({ ...plane.invoke(), queues, ...ports }, MESSAGE));
  return { plane, sent, run, now: clock.now() };
};

describe('a wake-up of a zone', () => {
  it('taints the first named node that still waits, and sends the next wake-up', async () => {
    const { plane, sent, run, now } = await setUp(['n1', 'n2', 'n3']);
    await fleet.postReady(plane, 'n1', 'True');
    await fleet.removeNode(plane, 'n2');
    expect(await run()).toEqual({ outcome: 'tainted', zone: 'a', node: 'n3' });
    expect(await fleet.taintsOf(plane, 'n3')).toEqual(['unreachable:NoSchedule', 'unreachable:NoExecute']);
    expect(sent).toEqual([{ body: MESSAGE, delaySeconds: 8, isPaced: true }]);
    expect(await plane.state.control.zone('a')).toMatchObject({
      limiter: { nextAt: now + 10_000 },
      wakeAt: now + 10_000,
    });
  });

  it('reports the zone by the name in its labels', async () => {
    const { run } = await setUp(['n1'], { key: 'eu:\0:rackA' });
    expect(await run()).toEqual({ outcome: 'tainted', zone: 'eu/rackA', node: 'n1' });
  });

  it('waits for the exact instant of the limiter', async () => {
    const { plane, run, now } = await setUp(['n1'], { limiter: { rate: 0.1, nextAt: 1_700_000_002_345 } });
    await run();
    expect(fleet.taintInstants(plane)).toEqual([{ node: 'n1', at: now + 2_345 }]);
  });

  it('counts the next interval from the end of the taint write, even if the write was slow', async () => {
    const { plane, sent, run, now } = await setUp(['n1', 'n2']);
    const { writer } = plane.invoke();
    const slow: typeof writer = {
      ...writer,
      destroy: async (key, decide) => {
        const result = await writer.destroy(key, decide);
        await plane.clock.sleep(1_500);
        return result;
      },
    };
    await run({ writer: slow });
    const nextAt = now + 11_500;
    expect(await plane.state.control.zone('a')).toMatchObject({ limiter: { nextAt }, wakeAt: nextAt });
    expect(sent).toEqual([{ body: MESSAGE, delaySeconds: 8, isPaced: true }]);
  });

  it('that is delivered twice finds the limiter closed and sends nothing', async () => {
    const { plane, sent, run } = await setUp(['n1', 'n2']);
    await run();
    expect(await run()).toEqual({ outcome: 'closed', zone: 'a' });
    expect(sent).toHaveLength(1);
    expect(fleet.taintInstants(plane)).toHaveLength(1);
  });

  it('that comes far too early is sent again, with delays of at most 900 seconds', async () => {
    const { plane, sent, run, now } = await setUp(['n1'], {
      limiter: { rate: 0.0005, nextAt: 1_700_000_000_000 + 1_500_000 },
      wakeAt: 1_700_000_000_000 + 1_000,
    });
    expect(await run()).toMatchObject({ outcome: 'postponed' });
    expect(sent).toEqual([{ body: MESSAGE, delaySeconds: 898 }]);
    expect(await plane.state.control.zone('a')).toMatchObject({ wakeAt: now + 900_000 });
    expect(await run()).toMatchObject({ outcome: 'closed' });
    plane.clock.advance(898_000);
    expect(await run()).toMatchObject({ outcome: 'postponed' });
    expect(sent.at(-1)).toEqual({ body: MESSAGE, delaySeconds: 600 });
  });

  it('clears its instant if no node waits any more', async () => {
    const { plane, run, now } = await setUp(['n1'], { wakeAt: 1_700_000_000_000 });
    await fleet.postReady(plane, 'n1', 'True');
    expect(await run()).toMatchObject({ outcome: 'idle' });
    expect((await plane.state.control.zone('a'))?.wakeAt).toBeUndefined();
    expect((await plane.state.control.zone('a'))?.limiter.nextAt).toBe(now); // No token was taken.
  });

  it('reads the zone again if a pass has written new names meanwhile', async () => {
    const { plane, run } = await setUp(['n1'], { wakeAt: 1_700_000_000_000 });
    await fleet.postReady(plane, 'n1', 'True');
    await fleet.addNode(plane, 'n2', { zone: 'a', ready: 'False' });
    const { control } = plane.state;
    let passes = 0;
    const racing = {
      ...control,
      clearWakeAt: async (...given: Parameters<typeof control.clearWakeAt>) => {
        const zone = await control.zone('a');
        if (zone && passes === 0) {
          passes += 1;
          await control.writeZone({ ...zone, pass: 2, waiting: ['n2'] }, zone.limiter);
        }
        return control.clearWakeAt(...given);
      },
    };
    expect(await run({ control: racing })).toMatchObject({ outcome: 'tainted', node: 'n2' });
    expect(await fleet.taintsOf(plane, 'n2')).toContain('not-ready:NoExecute');
  });

  it.each([
    ['at rate 0', { limiter: { rate: 0, nextAt: 0 } }, 0],
    ['if the record is older than the end of a full disruption', {}, 2],
  ])('does nothing %s', async (_, parts, floorPass) => {
    const { plane, sent, run } = await setUp(['n1'], parts);
    await plane.state.control.raiseClockFloor(plane.clock.now(), floorPass);
    expect(await run()).toMatchObject({ outcome: 'stopped' });
    expect(sent).toEqual([]);
    expect(fleet.taintInstants(plane)).toEqual([]);
  });

  it('wastes its token if the node recovers right after the token was taken (R-09)', async () => {
    const { plane, sent, run } = await setUp(['n1']);
    const { control } = plane.state;
    const racing = {
      ...control,
      swapLimiter: async (...given: Parameters<typeof control.swapLimiter>) => {
        const isTaken = await control.swapLimiter(...given);
        await fleet.postReady(plane, 'n1', 'True');
        return isTaken;
      },
    };
    expect(await run({ control: racing })).toEqual({ outcome: 'wasted', zone: 'a', node: 'n1' });
    expect(await fleet.taintsOf(plane, 'n1')).toEqual([]);
    expect(sent).toHaveLength(1);
  });

  it('wastes its token if the node was replaced by another one of the same name', async () => {
    const { plane, run } = await setUp(['n1']);
    const { control } = plane.state;
    const racing = {
      ...control,
      swapLimiter: async (...given: Parameters<typeof control.swapLimiter>) => {
        await fleet.removeNode(plane, 'n1');
        await fleet.addNode(plane, 'n1', { zone: 'a', ready: 'False' });
        return control.swapLimiter(...given);
      },
    };
    expect(await run({ control: racing })).toMatchObject({ outcome: 'wasted' });
    expect(await fleet.taintsOf(plane, 'n1')).toEqual(['not-ready:NoSchedule']);
  });

  it('does not use a token that is no longer valid', async () => {
    const { plane, run } = await setUp(['n1']);
    const { control, objects } = plane.state;
    let isTaken = false;
    const slowLog = {
      ...objects,
      read: async (key: Parameters<typeof objects.read>[0]) => {
        if (isTaken) await plane.clock.sleep(3_000);
        return objects.read(key);
      },
    };
    const taking = {
      ...control,
      swapLimiter: async (...given: Parameters<typeof control.swapLimiter>) => {
        isTaken = true;
        return control.swapLimiter(...given);
      },
    };
    const { writer: _writer, ...ports } = plane.invoke();
    const writer = withHolds(createObjectWriter({ ...ports, objects: slowLog }), ports.holds);
    expect(await run({ control: taking, writer })).toMatchObject({ outcome: 'wasted' });
    expect(fleet.taintInstants(plane)).toEqual([]);
  });

  it('keeps the rate if eight workers receive it at the same time', async () => {
    const { plane } = await setUp(['n1', 'n2', 'n3', 'n4'], {
      limiter: { rate: 0.5, nextAt: 1_700_000_000_000 },
    });
    const all = Array.from({ length: 8 }, () => ({ body: MESSAGE }));
    await plane.queues.send('eviction-wakeups', all);
    await plane.clock.run(plane.clock.sleep(20_000));
    const instants = fleet.taintInstants(plane).map(({ at }) => at - 1_700_000_000_000);
    expect(instants).toEqual([0, 2_000, 4_000, 6_000]);
    expect((await plane.state.control.zone('a'))?.wakeAt).toBeUndefined();
    expect(plane.failures).toEqual([]);
  });
});
