import { describe, expect, it } from 'vitest';
import type { ControlPlaneOptions } from '../../../simulation/plane/control-plane-types.ts';
import { createMemoryControlPlane } from '../../support/planes/control-plane.ts';
import * as fleet from '../../support/planes/fleet.ts';

const GRACE_MS = 40_000;

const setUp = async (options: ControlPlaneOptions = {}) => {
  const plane = createMemoryControlPlane(options);
  const alive = new Set(['n1', 'n2', 'n3']);
  for (const name of alive) await fleet.addNode(plane, name, { zone: 'a', ready: 'True', bootID: name });
  fleet.keepBeating(plane, alive);
  await fleet.addPod(plane, 'soon', { node: 'n1', tolerations: fleet.staying(30) });
  await fleet.addPod(plane, 'later', { node: 'n1' });
  await fleet.addPod(plane, 'never', { node: 'n1', tolerations: fleet.staying() });
  await fleet.addPod(plane, 'at-once', { node: 'n1', tolerations: [], graceSeconds: 0 });
  await fleet.addPod(plane, 'elsewhere', { node: 'n2' });
  await plane.run(59_000);
  alive.delete('n1');
  const lastBeatAt = (await plane.state.heartbeats.read(fleet.leaseKey('n1')))?.observedAt ?? 0;
  return { plane, alive, lastBeatAt };
};

type SetUp = Awaited<ReturnType<typeof setUp>>;

const runUntil = ({ plane, lastBeatAt }: SetUp, ms: number) => plane.run(lastBeatAt + ms - plane.clock.now());

const deletionOf = async ({ plane }: SetUp, pod: string) =>
  (await fleet.readPod(plane, pod))?.metadata.deletionTimestamp;

/** Each evicted pod, with the whole seconds from the taint to its eviction. */
const evictions = ({ plane }: SetUp) => {
  const [tainted] = fleet.taintInstants(plane);
  return plane.commits.flatMap(({ at, change: { before, after } }) => {
    const was = before?.state === 'live' ? before.facts.pod : undefined;
    const isGone =
      after?.state === 'marker' || (after?.state === 'live' && after.facts.pod?.deletionTimestamp);
    return was && was.deletionTimestamp === undefined && isGone
      ? [[before?.key.name, Math.round((at - (tainted?.at ?? 0)) / 1000)]]
      : [];
  });
};

describe('a node that falls silent', () => {
  it('keeps its Ready until the grace period is over', async () => {
    const world = await setUp();
    await runUntil(world, GRACE_MS);
    expect(await fleet.readyOf(world.plane, 'n1')).toBe('True');
  });

  it('gets Ready=Unknown and the NoSchedule taint in one write, then the NoExecute taint by a token', async () => {
    const world = await setUp();
    await runUntil(world, GRACE_MS + 6_000);
    const writes = world.plane.commits.flatMap(({ change: { after } }) =>
      after?.state === 'live' && after.key.name === 'n1' ? [after] : [],
    );
    const [, flip, taint] = writes.map(({ object, facts }) => ({
      ready: facts.node?.ready,
      taints: (object as { spec?: { taints?: readonly { effect: string }[] } }).spec?.taints?.map(
        ({ effect }) => effect,
      ),
    }));
    expect(flip).toEqual({ ready: 'Unknown', taints: ['NoSchedule'] });
    expect(taint).toEqual({ ready: 'Unknown', taints: ['NoSchedule', 'NoExecute'] });
    expect(writes).toHaveLength(3);
    expect(world.plane.failures).toEqual([]);
  });

  it("has its pods marked not ready, with their Events after the node's", async () => {
    const world = await setUp();
    await runUntil(world, GRACE_MS + 20_000);
    const conditions = await Promise.all(
      ['soon', 'later', 'never', 'elsewhere'].map(async (name) => {
        const pod = await fleet.readPod(world.plane, name);
        return pod?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
      }),
    );
    expect(conditions).toEqual(['False', 'False', 'False', 'True']);
    const events = fleet.eventsOf(world.plane).filter((event) => event.startsWith('NodeNotReady'));
    expect(events[0]).toBe('NodeNotReady: Node n1 status is now: NodeNotReady');
    expect(events.slice(1)).toEqual(expect.arrayContaining(['NodeNotReady: Node is not ready']));
  });

  it('loses each pod once, at the exact due instant', async () => {
    const world = await setUp();
    await runUntil(world, GRACE_MS + 400_000);
    expect(evictions(world)).toEqual([
      ['at-once', 0],
      ['soon', 30],
      ['later', 300],
    ]);
    expect(world.plane.failures).toEqual([]);
  });

  it('marks a pod for deletion in one write: DisruptionTarget, its grace period, a new generation', async () => {
    const world = await setUp();
    await runUntil(world, GRACE_MS + 60_000);
    const pod = await fleet.readPod(world.plane, 'soon');
    expect(pod?.metadata).toMatchObject({ deletionGracePeriodSeconds: 30, generation: 2 });
    expect(pod?.status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'DeletionByTaintManager',
        message: 'Taint manager: deleting due to NoExecute taint',
      }),
    );
    expect(fleet.eventsOf(world.plane)).toContain(
      'TaintManagerEviction: Marking for deletion Pod default/soon',
    );
    expect(await fleet.deadlineOf(world.plane, 'soon')).toBeUndefined();
    expect(await deletionOf(world, 'later')).toBeUndefined();
  });

  it('ends in the same state if every message and every change is delivered twice', async () => {
    const once = await setUp();
    await runUntil(once, GRACE_MS + 400_000);
    const twice = await setUp({
      invocation: (ports) => ({
        ...ports,
        queues: { send: (queue, messages) => ports.queues.send(queue, [...messages, ...messages]) },
        bus: { publish: (events) => ports.bus.publish([...events, ...events]) },
      }),
    });
    await runUntil(twice, GRACE_MS + 400_000);
    expect(evictions(twice)).toEqual(evictions(once));
    expect(fleet.eventsOf(twice.plane).toSorted()).toEqual(fleet.eventsOf(once.plane).toSorted());
    expect(twice.plane.failures).toEqual([]);
  });

  it('is Ready, without taints and deadlines, after it returns', async () => {
    const world = await setUp();
    const { plane, alive } = world;
    await runUntil(world, GRACE_MS + 60_000);
    expect(await fleet.deadlineOf(plane, 'later')).toBeDefined();
    alive.add('n1');
    await fleet.postReady(plane, 'n1', 'True');
    await plane.run(10_000);
    expect(await fleet.taintsOf(plane, 'n1')).toEqual([]);
    expect(await fleet.deadlineOf(plane, 'later')).toBeUndefined();
    expect(fleet.eventsOf(plane)).toContain('TaintManagerEviction: Cancelling deletion of Pod default/later');
    await plane.run(400_000);
    expect(await deletionOf(world, 'later')).toBeUndefined();
  });

  it('is not evicted after it is deleted and created again in the same boot, although its predecessor had a NoExecute taint', async () => {
    const world = await setUp();
    const { plane, alive } = world;
    await runUntil(world, GRACE_MS + 60_000);
    await fleet.removeNode(plane, 'n1');
    await fleet.addNode(plane, 'n1', { zone: 'a', ready: 'True', bootID: 'n1' });
    alive.add('n1');
    await plane.run(400_000);
    expect(await fleet.readyOf(plane, 'n1')).toBe('True');
    expect(await fleet.taintsOf(plane, 'n1')).toEqual([]);
    expect(await deletionOf(world, 'later')).toBeUndefined();
    expect(plane.failures).toEqual([]);
  });

  it('is evicted although every wake-up is lost, because the monitor sends another within ten seconds', async () => {
    const world = await setUp();
    world.plane.set('eviction-wakeups', false);
    await runUntil(world, GRACE_MS + 6_000);
    const flippedAt = world.plane.clock.now();
    expect(fleet.taintInstants(world.plane)).toEqual([]);
    world.plane.set('eviction-wakeups', true);
    await world.plane.run(30_000);
    const [tainted] = fleet.taintInstants(world.plane);
    expect((tainted?.at ?? Number.POSITIVE_INFINITY) - flippedAt).toBeLessThanOrEqual(
      10_000 + world.plane.config.nodeMonitorPeriodMs,
    );
  });

  it.each(['taint-eviction', 'stream'] as const)(
    'loses its pods, at most one sweep late, after %s was stopped for a while',
    async (part) => {
      const world = await setUp();
      const { plane } = world;
      await runUntil(world, GRACE_MS + 5_000 + (part === 'stream' ? -6_000 : 20_000));
      plane.set(part, false);
      await plane.run(20_000);
      plane.set(part, true);
      await plane.run(20_000 + 60_000);
      expect(await deletionOf(world, 'soon')).toBeDefined();
      expect(plane.failures).toEqual([]);
    },
  );
});
