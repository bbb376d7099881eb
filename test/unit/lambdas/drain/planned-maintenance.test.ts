// What nodes are told of maintenance that comes and goes on (V-70), among all controllers, over memory adapters in virtual time.
import { describe, expect, it } from 'vitest';
import { announce } from '../../../../lambdas/drain/nodes/announce.ts';
import type { Node } from '../../../../shared/kube/types/core.ts';
import type { NodeMaintenance, NodeMaintenanceSpec } from '../../../../shared/kube/types/node-maintenance.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import { liveRow } from '../../../../shared/ports/store/rows.ts';
import type { DestroyingWriter } from '../../../../shared/store/writer/destruction.ts';
import type { ControlPlaneOptions } from '../../../../simulation/plane/control-plane-types.ts';
import { aDrainPlane, type DrainPlane } from '../../../support/planes/drain-plane.ts';

const KEY = { resource: 'nodemaintenances', namespace: '', name: 'rack-r7' };
const RACK = { rack: 'r7' };
const NODES = ['n1', 'n2', 'spare'];
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const PLANNED = 'True Maintenance';

const label = (node: Node): Node => ({
  ...node,
  metadata: { ...node.metadata, labels: { ...node.metadata.labels, ...RACK } },
});

const aSite = async (options: ControlPlaneOptions = {}): Promise<DrainPlane> => {
  const plane = await aDrainPlane(NODES, options);
  for (const name of ['n1', 'n2']) await plane.changeNode(name, label);
  return plane;
};

/** The window begins in two hours and is announced an hour before, unless the spec says otherwise. */
const maintain = (plane: DrainPlane, spec: NodeMaintenanceSpec = {}) => {
  const now = plane.clock.now();
  const next: NodeMaintenance = {
    apiVersion: 'rollcall.dev/v1',
    kind: 'NodeMaintenance',
    metadata: { name: KEY.name, uid: 'uid-rack', generation: 1, creationTimestamp: toTime(now) },
    spec: {
      nodeSelector: { matchLabels: RACK },
      startTime: toTime(now + 2 * HOUR * 1000),
      durationSeconds: HOUR,
      maxConcurrent: 1,
      doneWhen: 'Drained',
      uncordon: true,
      ...spec,
    },
  };
  return plane.writer.write(KEY, () => ({ next, writer: 'client' }));
};

const respec = (plane: DrainPlane, spec: NodeMaintenanceSpec) =>
  plane.writer.write(KEY, (row) => {
    const live = liveRow(row)?.object as NodeMaintenance;
    const metadata = { ...live.metadata, generation: (live.metadata.generation ?? 0) + 1 };
    return { next: { ...live, metadata, spec: { ...live.spec, ...spec } }, writer: 'client' };
  });

const planned = async (plane: DrainPlane, names: readonly string[] = NODES): Promise<readonly string[]> => {
  const told = await Promise.all(
    names.map(async (name) => [name, await plane.conditionOf(name, 'MaintenancePlanned')] as const),
  );
  return told.flatMap(([name, condition]) => (condition === PLANNED ? [name] : []));
};

const statusOf = async ({ state }: DrainPlane) => {
  const found: NodeMaintenance | undefined = liveRow(await state.objects.read(KEY))?.object;
  return found?.status;
};

/** Steps over a time in which nothing of interest happens. */
const wait = (plane: DrainPlane, seconds: number): Promise<void> => plane.run(seconds * 1000);

describe('maintenance that is planned (V-70)', () => {
  it('is announced to the selected nodes an hour before its window, and says when that begins', async () => {
    const plane = await aSite();
    const startAt = plane.clock.now() + 2 * HOUR * 1000;
    await maintain(plane);
    await wait(plane, HOUR - MINUTE);
    expect(await planned(plane)).toEqual([]);
    await wait(plane, 2 * MINUTE);
    expect(await planned(plane)).toEqual(['n1', 'n2']);
    expect((await statusOf(plane))?.planned).toBe(2);
    const found = (await plane.node('n1'))?.status?.conditions?.find(
      ({ type }) => type === 'MaintenancePlanned',
    );
    expect(found?.message).toBe(`NodeMaintenance rack-r7: its window begins at ${toTime(startAt)}`);
  });

  it('is so until the node begins, and its maintenance in progress until that ends', async () => {
    const plane = await aSite();
    await maintain(plane, { startTime: toTime(plane.clock.now() + 10_000), doneWhen: 'Annotated' });
    await plane.pass(5);
    expect(await planned(plane)).toEqual(['n1', 'n2']);
    await plane.pass(15);
    expect(await planned(plane)).toEqual(['n2']);
    expect(await plane.conditionOf('n1', 'MaintenanceInProgress')).toBe('True Maintenance');
    const done = (node: Node): Node => ({
      ...node,
      metadata: {
        ...node.metadata,
        annotations: { ...node.metadata.annotations, 'rollcall.dev/maintenance-done': 'true' },
      },
    });
    await plane.changeNode('n1', done);
    await plane.pass(10);
    expect(await plane.conditionOf('n1', 'MaintenanceInProgress')).toBeUndefined();
    expect(await plane.conditionOf('n2', 'MaintenanceInProgress')).toBe('True Maintenance');
    expect(await planned(plane)).toEqual([]);
    expect((await statusOf(plane))?.planned).toBe(0);
  });

  it('is over with its window for nodes that could not begin', async () => {
    const plane = await aSite();
    const unready = (node: Node): Node => ({
      ...node,
      status: { ...node.status, conditions: [{ type: 'Ready', status: 'False' }] },
    });
    await plane.changeNode('n2', unready);
    await maintain(plane, { startTime: toTime(plane.clock.now() + 10_000), durationSeconds: 120 });
    await plane.pass(60);
    expect(await planned(plane)).toEqual(['n2']);
    await plane.pass(80);
    expect(await planned(plane)).toEqual([]);
  });

  it('costs one write for a node and a window; begin and end cost none more', async () => {
    const writesOf = async (plannedSeconds: number): Promise<number> => {
      const plane = await aSite();
      await maintain(plane, { plannedSeconds, startTime: toTime(plane.clock.now() + 10_000) });
      await plane.pass(60);
      expect(await planned(plane)).toEqual([]);
      const ofNode = plane.commits.filter(
        ({ change: { after } }) => after?.key.resource === 'nodes' && after.key.name === 'n1',
      );
      return ofNode.length;
    };
    // Made, labelled, begun, told by the drain that it is drained, ended, and told that the drain has ended.
    expect(await writesOf(0)).toBe(6);
    expect(await writesOf(3_600)).toBe(7);
  });

  it('is told to sixteen nodes at the same time', async () => {
    let [going, most, written] = [0, 0, 0];
    const writer = {
      write: async () => {
        going += 1;
        most = Math.max(most, going);
        await Promise.resolve();
        going -= 1;
        written += 1;
      },
    } as unknown as DestroyingWriter;
    const nodes = Array.from({ length: 40 }, (_, at) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: `n${at}` },
    }));
    await announce({ writer, clock: (await aSite()).clock }, (node) => ({ ...node }), nodes);
    expect([most, written]).toEqual([16, 40]);
  });

  it.each<[string, (plane: DrainPlane) => Promise<unknown>, readonly string[]]>([
    ['is suspended', (plane) => respec(plane, { suspend: true }), []],
    ['is announced no more', (plane) => respec(plane, { plannedSeconds: 0 }), []],
    ['is moved', (plane) => respec(plane, { startTime: toTime(plane.clock.now() + 5 * HOUR * 1000) }), []],
    [
      'is of other nodes',
      (plane) => respec(plane, { nodeSelector: { matchLabels: { 'kubernetes.io/hostname': 'spare' } } }),
      ['spare'],
    ],
    ['is deleted', ({ writer }) => writer.write(KEY, () => ({ next: 'delete', writer: 'client' })), []],
  ])('is told otherwise when it %s', async (_, change, expected) => {
    const plane = await aSite();
    await maintain(plane, { startTime: toTime(plane.clock.now() + HOUR * 1000 - 60_000) });
    await wait(plane, 10);
    expect(await planned(plane)).toEqual(['n1', 'n2']);
    await change(plane);
    await wait(plane, 10);
    expect(await planned(plane)).toEqual(expected);
  });

  it('is told by the sweep if the message was lost, and to nodes that come later or have lost it', async () => {
    const plane = await aSite();
    plane.set('drain', false);
    await maintain(plane, { startTime: toTime(plane.clock.now() + HOUR * 1000 - 60_000) });
    await wait(plane, 5);
    plane.set('drain', true);
    await wait(plane, 90);
    expect(await planned(plane)).toEqual(['n1', 'n2']);
    await plane.changeNode('spare', label);
    await plane.changeNode('n1', (node) => ({ ...node, status: { ...node.status, conditions: [] } }));
    await wait(plane, 11 * MINUTE);
    expect(await planned(plane)).toEqual(['n1', 'n2', 'spare']);
  });

  it('leaves what somebody else has planned, and takes back what a crash has left', async () => {
    const plane = await aSite();
    const says = (type: string, reason: string) => (node: Node) => ({
      ...node,
      status: {
        ...node.status,
        conditions: [...(node.status?.conditions ?? []), { type, status: 'True' as const, reason }],
      },
    });
    await plane.changeNode('n1', says('MaintenancePlanned', 'KernelUpgrade'));
    await plane.changeNode('n2', says('MaintenancePlanned', 'Maintenance'));
    await plane.changeNode('spare', says('MaintenanceInProgress', 'Maintenance'));
    await wait(plane, 11 * MINUTE);
    expect(await plane.conditionOf('n1', 'MaintenancePlanned')).toBe('True KernelUpgrade');
    expect(await plane.conditionOf('n2', 'MaintenancePlanned')).toBeUndefined();
    expect(await plane.conditionOf('spare', 'MaintenanceInProgress')).toBeUndefined();
  });

  it('is not yet planned after the clock was set back', async () => {
    let backMs = 0;
    const plane = await aSite({
      invocation: (ports) => ({
        ...ports,
        clock: {
          ...ports.clock,
          now: () => ports.clock.now() - backMs,
          sleep: (ms) => ports.clock.sleep(ms),
        },
      }),
    });
    await maintain(plane);
    await wait(plane, HOUR + 2 * MINUTE);
    expect(await planned(plane)).toEqual(['n1', 'n2']);
    backMs = HOUR * 1000;
    await wait(plane, 2 * MINUTE);
    expect(await planned(plane)).toEqual([]);
    await wait(plane, HOUR);
    expect(await planned(plane)).toEqual(['n1', 'n2']);
  });
});
