import { describe, expect, it } from 'vitest';
import { reconcile, runPass } from '../../../../lambdas/node-monitor/reconcile.ts';
import { enqueueTicks } from '../../../../lambdas/node-monitor/ticks.ts';
import {
  LABEL_EXCLUDE_DISRUPTION,
  TAINT_NOT_READY,
  TAINT_UNREACHABLE,
} from '../../../../shared/kube/types/well-known.ts';
import type { OutgoingMessage } from '../../../../shared/ports/process/work-queue.ts';
import { eventual } from '../../../../shared/ports/store/eventual.ts';
import type { ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import * as fleet from '../../../support/planes/fleet.ts';

type Deps = Parameters<typeof runPass>[0];

/** Runs one pass now; `ports` replace the plane's own. */
const pass = (plane: ControlPlane, ports: Partial<Deps> = {}) => {
  const deps = { ...plane.invoke(), config: plane.config, ...ports };
  return plane.clock.run(runPass(deps, plane.clock.now()));
};

const aPlane = async (names: readonly string[], given: fleet.NewNode = { ready: 'True' }) => {
  const plane = createMemoryControlPlane();
  for (const name of names) {
    await fleet.addNode(plane, name, given);
    await fleet.beat(plane, name);
  }
  return plane;
};

describe('a pass', () => {
  it('is started once per tick, and never by an older tick', async () => {
    const plane = await aPlane(['n1']);
    const now = plane.clock.now();
    const run = (tick: number) => plane.clock.run(runPass({ ...plane.invoke(), config: plane.config }, tick));
    expect(await run(now)).toMatchObject({ outcome: 'done', pass: 1 });
    expect(await run(now)).toMatchObject({ outcome: 'skipped' });
    expect(await run(now - 5_000)).toMatchObject({ outcome: 'skipped' });
    expect(await run(now + 5_000)).toMatchObject({ outcome: 'done', pass: 2 });
  });

  it('keeps other passes out until it has ended or failed', async () => {
    const plane = await aPlane(['n1']);
    const broken = {
      async *scan() {
        yield eventual([]);
        throw new Error('no table');
      },
      read: async () => undefined,
      takeBack: async () => false,
      learn: async () => false,
      readRelay: async () => ({}),
      replaceRelayed: async () => false,
    };
    await expect(pass(plane, { heartbeats: broken })).rejects.toThrow('no table');
    plane.clock.advance(1);
    expect(await pass(plane)).toMatchObject({ outcome: 'done', pass: 2 });
    await plane.state.control.startPass(plane.clock.now() + 1, plane.clock.now(), 10_000);
    plane.clock.advance(2);
    expect(await pass(plane)).toMatchObject({ outcome: 'skipped' });
  });

  it('waits for the instant of its tick', async () => {
    const plane = await aPlane(['n1']);
    const at = plane.clock.now() + 800;
    await plane.clock.run(reconcile({ ...plane.invoke(), config: plane.config }, { v: 1, kind: 'tick', at }));
    expect((await plane.state.control.readPass())?.lastTick).toBe(at);
    expect(plane.clock.now()).toBe(at);
  });

  it.each([
    ['ninety seconds', 90_000],
    ['an hour', 3_600_000],
    ['a year', 365 * 86_400_000],
  ])('starts at once for a tick from before the clock was set back by %s (G-11)', async (_, backMs) => {
    const plane = await aPlane(['n1']);
    const at = plane.clock.now() + 2_000;
    await plane.clock.run(reconcile({ ...plane.invoke(), config: plane.config }, { v: 1, kind: 'tick', at }));
    plane.clock.advance(-backMs);
    const now = plane.clock.now();
    const deps = { ...plane.invoke(), config: plane.config };
    const report = await plane.clock.run(reconcile(deps, { v: 1, kind: 'tick', at: at + 5_000 }));
    expect(report).toMatchObject({ outcome: 'done', pass: 2 });
    expect(plane.clock.now()).toBe(now);
  });

  it('starts once per period while a backlog of late ticks is handled (G-12)', async () => {
    const plane = await aPlane(['n1']);
    const first = plane.clock.now();
    const handOver = (at: number) =>
      plane.clock.run(reconcile({ ...plane.invoke(), config: plane.config }, { v: 1, kind: 'tick', at }));
    plane.clock.advance(60_000);
    expect(await handOver(first), 'a late tick').toMatchObject({ outcome: 'done', tick: first + 60_000 });
    expect(await handOver(first + 5_000), 'the next one, at once').toMatchObject({ outcome: 'skipped' });
    plane.clock.advance(5_000);
    expect(await handOver(first), 'a copy of the first').toMatchObject({ outcome: 'done', pass: 2 });
    expect(await handOver(first + 65_000), 'the tick of this instant').toMatchObject({ outcome: 'skipped' });
  });

  it('does not count a node as silent because the scan has missed its heartbeat item', async () => {
    const plane = await aPlane(['n1', 'n2']);
    plane.clock.advance(50_000);
    await fleet.beat(plane, 'n1');
    await fleet.beat(plane, 'n2');
    const { heartbeats } = plane.state;
    const blind = {
      ...heartbeats,
      async *scan() {
        yield eventual([]);
      },
    };
    expect(await pass(plane, { heartbeats: blind })).toMatchObject({ flips: 0, silent: 0 });
    expect(await fleet.readyOf(plane, 'n1')).toBe('True');
  });

  it('counts a node as silent for as long as it is Unknown', async () => {
    const plane = await aPlane(['n1', 'n2']);
    plane.clock.advance(50_000);
    await fleet.beat(plane, 'n2');
    expect(await pass(plane)).toMatchObject({ flips: 1, silent: 1 });
    plane.clock.advance(5_000);
    expect(await pass(plane)).toMatchObject({ flips: 0, silent: 1 });
    await fleet.postReady(plane, 'n1', 'True');
    plane.clock.advance(5_000);
    expect(await pass(plane)).toMatchObject({ silent: 0 });
  });

  it('counts a node as silent if its heartbeat item is really gone', async () => {
    const plane = await aPlane(['n1', 'n2']);
    plane.clock.advance(50_000);
    await fleet.beat(plane, 'n2');
    const { heartbeats } = plane.state;
    const gone = {
      ...heartbeats,
      async *scan() {
        for await (const { value } of heartbeats.scan())
          yield eventual(value.filter(({ name }) => name !== 'n1'));
      },
      read: async (key: Parameters<typeof heartbeats.read>[0]) =>
        key.name === 'n1' ? undefined : heartbeats.read(key),
    };
    const report = await pass(plane, { heartbeats: gone });
    // The commit's own check still sees the item, so the flip is refused. The conflict shows that it was tried.
    expect(report).toMatchObject({ silent: 0, conflicts: 1 });
  });

  it('cannot flip a node whose heartbeat arrives between the read and the write', async () => {
    const plane = await aPlane(['n1', 'n2']);
    plane.clock.advance(50_000);
    await fleet.beat(plane, 'n2');
    const { heartbeats } = plane.state;
    const racing = {
      ...heartbeats,
      read: async (key: Parameters<typeof heartbeats.read>[0]) => {
        const item = await heartbeats.read(key);
        await fleet.beat(plane, key.name);
        return item;
      },
    };
    expect(await pass(plane, { heartbeats: racing })).toMatchObject({ silent: 0, flips: 0, conflicts: 1 });
    expect(await fleet.readyOf(plane, 'n1')).toBe('True');
    expect(fleet.eventsOf(plane)).toEqual([]);
  });

  it('counts a node whose flip was refused as answering, so that it disrupts no zone (I-04)', async () => {
    const plane = await aPlane(['n1', 'n2']);
    plane.clock.advance(50_000);
    const { heartbeats } = plane.state;
    const racing = {
      ...heartbeats,
      read: async (key: Parameters<typeof heartbeats.read>[0]) => {
        const item = await heartbeats.read(key);
        for (const name of ['n1', 'n2']) await fleet.beat(plane, name);
        return item;
      },
    };
    expect(await pass(plane, { heartbeats: racing })).toMatchObject({
      mode: 'unchanged',
      flips: 0,
      conflicts: 2,
      zones: [{ state: 'Normal', size: 2, notReady: 0 }],
    });
  });

  it('counts a node whose flip is refused repeatedly as answering', async () => {
    const plane = await aPlane(['n1']);
    plane.clock.advance(50_000);
    const { heartbeats } = plane.state;
    const behind = {
      ...heartbeats,
      read: async (key: Parameters<typeof heartbeats.read>[0]) => {
        const item = await heartbeats.read(key);
        return item && { ...item, observedAt: 0, statusAt: 0 };
      },
    };
    const report = await pass(plane, { heartbeats: behind });
    expect(report).toMatchObject({ flips: 0, conflicts: 1, mode: 'unchanged', zones: [{ notReady: 0 }] });
  });

  it('flips a node if the heartbeat that arrives during the pass does not count for it', async () => {
    const plane = await aPlane(['n1']);
    plane.clock.advance(50_000);
    const { heartbeats } = plane.state;
    let beats = 0;
    const hungKubelet = {
      ...heartbeats,
      read: async (key: Parameters<typeof heartbeats.read>[0]) => {
        const item = await heartbeats.read(key);
        beats += 1;
        if (beats === 1) await fleet.beat(plane, key.name, 'plain');
        return item;
      },
    };
    expect(await pass(plane, { heartbeats: hungKubelet })).toMatchObject({ flips: 1, conflicts: 0 });
    expect(await fleet.readyOf(plane, 'n1')).toBe('Unknown');
  });

  it('does not count a node that is deleted during the pass', async () => {
    const plane = await aPlane(['n1', 'n2']);
    plane.clock.advance(50_000);
    await fleet.beat(plane, 'n2');
    const { heartbeats } = plane.state;
    const racing = {
      ...heartbeats,
      read: async (key: Parameters<typeof heartbeats.read>[0]) => {
        await fleet.removeNode(plane, key.name);
        return heartbeats.read(key);
      },
    };
    const report = await pass(plane, { heartbeats: racing });
    expect(report).toMatchObject({ flips: 0, zones: [{ size: 1, notReady: 0 }] });
  });

  it('judges silence by the instant before its reads, so that slow reads make no node silent (G-10)', async () => {
    const plane = await aPlane(['n1', 'n2']);
    const { control } = plane.state;
    const suspended = {
      ...control,
      startPass: async (...given: Parameters<typeof control.startPass>) => {
        const started = await control.startPass(...given);
        plane.clock.advance(3_600_000);
        return started;
      },
    };
    expect(await pass(plane, { control: suspended })).toMatchObject({ silent: 0, flips: 0 });
  });

  it('gives a node that has never reported the startup grace period, from its creation', async () => {
    const plane = createMemoryControlPlane();
    await fleet.addNode(plane, 'n1');
    await fleet.addNode(plane, 'n2', { ready: 'True' });
    plane.clock.advance(60_000);
    await fleet.beat(plane, 'n2');
    expect(await pass(plane)).toMatchObject({ flips: 0 });
    plane.clock.advance(1);
    expect(await pass(plane)).toMatchObject({ flips: 1 });
    expect(await fleet.readyOf(plane, 'n1')).toBe('Unknown');
    expect(fleet.eventsOf(plane)).toEqual([]); // Its Ready was not True before.
  });

  it('keeps the Ready of a node that sends only plain heartbeats', async () => {
    const plane = createMemoryControlPlane();
    await fleet.addNode(plane, 'curl');
    const alive = new Set(['curl']);
    fleet.keepBeating(plane, alive, 'plain');
    await plane.run(10_000);
    expect(await fleet.readyOf(plane, 'curl')).toBe('True');
    expect((await fleet.readNode(plane, 'curl')).status?.conditions).toHaveLength(1);
    alive.clear();
    await plane.run(60_000);
    expect(await fleet.readyOf(plane, 'curl')).toBe('Unknown');
    alive.add('curl');
    await plane.run(20_000);
    expect(await fleet.readyOf(plane, 'curl')).toBe('True');
  });

  it('flips a node whose kubelet hangs, even if it gets plain heartbeats', async () => {
    const plane = createMemoryControlPlane();
    await fleet.addNode(plane, 'n1', { ready: 'True' });
    await fleet.beat(plane, 'n1');
    fleet.keepBeating(plane, new Set(['n1']), 'plain');
    await plane.run(50_000);
    expect(await fleet.readyOf(plane, 'n1')).toBe('Unknown');
  });

  it('swaps not-ready for unreachable in the same write as the flip, and stores the former taint', async () => {
    const plane = await aPlane(['n1', 'n2']);
    await fleet.postReady(plane, 'n1', 'False');
    await fleet.changeNode(plane, 'n1', (node) => ({
      ...node,
      spec: {
        ...node.spec,
        taints: [...(node.spec?.taints ?? []), { key: TAINT_NOT_READY, effect: 'NoExecute' }],
      },
    }));
    const since = (await fleet.nodeRow(plane, 'n1'))?.facts.node?.noExecute[0]?.since;
    plane.clock.advance(41_000);
    await fleet.beat(plane, 'n2');
    const written = plane.commits.length;
    expect(await pass(plane)).toMatchObject({ flips: 1 });
    expect(await fleet.taintsOf(plane, 'n1')).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
    const now = plane.clock.now();
    expect((await fleet.nodeRow(plane, 'n1'))?.facts.node).toMatchObject({
      noExecute: [{ key: TAINT_UNREACHABLE, since: now }],
      formerNoExecute: [{ key: TAINT_NOT_READY, since, goneAt: now }],
    });
    expect(plane.commits.length).toBe(written + 1);
  });

  it('writes the longest silent nodes first and leaves the rest to the next pass when its time is over', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `n${String(index).padStart(2, '0')}`);
    const plane = createMemoryControlPlane({ config: { writeBudgetMs: 1_000, writeConcurrency: 1 } });
    for (const name of names) {
      await fleet.addNode(plane, name, { ready: 'True' });
      await fleet.beat(plane, name);
      plane.clock.advance(10);
    }
    await fleet.addNode(plane, 'alive', { ready: 'True' });
    plane.clock.advance(50_000);
    await fleet.beat(plane, 'alive');
    const { clock, state } = plane;
    const slow = {
      ...state.heartbeats,
      read: async (key: Parameters<typeof state.heartbeats.read>[0]) => {
        await clock.sleep(100);
        return state.heartbeats.read(key);
      },
    };
    expect(await pass(plane, { heartbeats: slow })).toMatchObject({
      silent: 20,
      flips: 10,
      postponed: 10,
      // Zones are counted by decisions, even those that are not written.
      zones: [{ notReady: 20, size: 21 }],
    });
    expect(await fleet.readyOf(plane, 'n09')).toBe('Unknown');
    expect(await fleet.readyOf(plane, 'n10')).toBe('True');
  });

  it('continues if a single node cannot be written, but then drops no zone', async () => {
    const plane = await aPlane(['n1', 'n2'], { zone: 'a', ready: 'True' });
    await pass(plane);
    await fleet.addNode(plane, 'n3', { zone: 'b', ready: 'True' });
    await fleet.removeNode(plane, 'n1');
    await fleet.removeNode(plane, 'n2');
    plane.clock.advance(50_000);
    const { heartbeats } = plane.state;
    const broken = { ...heartbeats, read: async () => Promise.reject(new Error('no such item')) };
    expect(await pass(plane, { heartbeats: broken })).toMatchObject({
      errors: [{ node: 'n3', error: new Error('no such item') }],
    });
    expect((await plane.state.control.zones()).map(({ id }) => id)).toEqual(['a', 'b']);
    plane.clock.advance(5_000);
    await pass(plane);
    expect((await plane.state.control.zones()).map(({ id }) => id)).toEqual(['b']);
  });

  it('does not record Events for which its timeout leaves no time', async () => {
    const plane = await aPlane(['n1', 'n2', 'n3', 'n4']);
    plane.clock.advance(50_000);
    await fleet.beat(plane, 'n4');
    const { clock, recorder } = plane;
    const slow = {
      record: async (...given: Parameters<typeof recorder.record>) => {
        await clock.sleep(5_000);
        await recorder.record(...given);
      },
    };
    const config = { ...plane.config, writeConcurrency: 1 };
    expect(await pass(plane, { recorder: slow, config })).toMatchObject({ flips: 3, unrecorded: 1 });
    const events = fleet.eventsOf(plane).filter((event) => event.startsWith('NodeNotReady'));
    expect(events).toHaveLength(2);
  });

  it('reads no single node while all nodes are well', async () => {
    const plane = await aPlane(Array.from({ length: 300 }, (_, index) => `n${index}`));
    let reads = 0;
    const heartbeats = {
      ...plane.state.heartbeats,
      read: async () => {
        reads += 1;
        return undefined;
      },
    };
    expect(await pass(plane, { heartbeats })).toMatchObject({ nodes: 300, flips: 0 });
    expect(reads).toBe(0);
  });

  it('monitors an excluded node, but does not count it', async () => {
    const plane = await aPlane(['n1']);
    await fleet.addNode(plane, 'n2', { ready: 'True', labels: { [LABEL_EXCLUDE_DISRUPTION]: '' } });
    plane.clock.advance(50_000);
    await fleet.beat(plane, 'n1');
    expect(await pass(plane)).toMatchObject({ flips: 1, zones: [{ size: 1, notReady: 0, health: 100 }] });
  });
});

describe('the queued ticks', () => {
  it('are for the multiples of the period in the next two minutes, delayed by whole seconds and never late', async () => {
    const sent: OutgoingMessage[] = [];
    const queues = {
      send: async (_: string, messages: readonly OutgoingMessage[]) => void sent.push(...messages),
    };
    const now = 1_700_000_002_300;
    await enqueueTicks({ queues, config: { nodeMonitorPeriodMs: 5_000 } }, now);
    expect(sent).toHaveLength(24);
    expect(sent[0]).toEqual({ body: { v: 1, kind: 'tick', at: 1_700_000_005_000 }, delaySeconds: 2 });
    expect(sent.at(-1)).toEqual({ body: { v: 1, kind: 'tick', at: 1_700_000_120_000 }, delaySeconds: 117 });
  });
});
