// NodeMaintenances among all controllers, over memory adapters in virtual time.
import { describe, expect, it } from 'vitest';
import type { Node } from '../../../../shared/kube/types/core.ts';
import type { NodeMaintenance, NodeMaintenanceSpec } from '../../../../shared/kube/types/node-maintenance.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import { liveRow } from '../../../../shared/ports/store/rows.ts';
import { maintenanceOf, withMaintenance } from '../../../../shared/rules/drain/node-in-maintenance.ts';
import { aDrainPlane, type DrainPlane } from '../../../support/planes/drain-plane.ts';

const KEY = { resource: 'nodemaintenances', namespace: '', name: 'rack-r7' };
const RACK = { rack: 'r7' };
const NODES = ['n1', 'n2', 'n3', 'n4', 'n5', 'spare1', 'spare2'];
const HOUR = 3_600;

const inRack = (name: string): boolean => !name.startsWith('spare');

const aSite = async (): Promise<DrainPlane> => {
  const plane = await aDrainPlane(NODES);
  for (const name of NODES.filter(inRack))
    await plane.changeNode(name, (node) => ({
      ...node,
      metadata: { ...node.metadata, labels: { ...node.metadata.labels, ...RACK } },
      status: { ...node.status, nodeInfo: { bootID: 'before' } },
    }));
  await plane.addReplicas('web', 14);
  await plane.pass(5);
  return plane;
};

/** The window begins ten seconds from now. */
const maintain = (plane: DrainPlane, spec: NodeMaintenanceSpec = {}) => {
  const now = plane.clock.now();
  const given: NodeMaintenance = {
    apiVersion: 'rollcall.dev/v1',
    kind: 'NodeMaintenance',
    metadata: { name: 'rack-r7', uid: 'uid-rack', generation: 1, creationTimestamp: toTime(now) },
    spec: {
      nodeSelector: { matchLabels: RACK },
      startTime: toTime(now + 10_000),
      durationSeconds: HOUR,
      maxConcurrent: 2,
      doneWhen: 'Rebooted',
      uncordon: true,
      ...spec,
    },
  };
  return plane.writer.write(KEY, () => ({ next: given, writer: 'client' }));
};

const statusOf = async ({ state }: DrainPlane) => {
  const found: NodeMaintenance | undefined = liveRow(await state.objects.read(KEY))?.object;
  return found?.status;
};

const allNodes = async (plane: DrainPlane): Promise<readonly Node[]> =>
  (await Promise.all(NODES.map((name) => plane.node(name)))).filter((node) => node !== undefined);

const cordoned = async (plane: DrainPlane): Promise<readonly string[]> =>
  (await allNodes(plane)).filter(({ spec }) => spec?.unschedulable).map(({ metadata }) => metadata.name);

/** Machines that are drained boot. */
const boot = async (plane: DrainPlane): Promise<void> => {
  for (const name of NODES)
    if ((await plane.conditionOf(name, 'Drained')) === 'True NodeDrained')
      await plane.changeNode(name, (node) => ({
        ...node,
        status: { ...node.status, nodeInfo: { bootID: 'after' } },
      }));
};

const doneNodes = async (plane: DrainPlane): Promise<readonly string[]> =>
  (await allNodes(plane))
    .filter((node) => maintenanceOf(node)?.phase === 'Done')
    .map(({ metadata }) => metadata.name);

describe('the maintenance of a rack', () => {
  it('goes two nodes at a time, through all of them, and leaves them in service (E-23, E-24, E-25)', async () => {
    const plane = await aSite();
    await maintain(plane);
    await plane.pass(5);
    expect(await cordoned(plane)).toEqual([]);
    expect((await statusOf(plane))?.conditions?.[0]?.reason).toBe('WindowClosed');
    let most = 0;
    for (let step = 0; step < 90; step += 1) {
      await plane.pass(1);
      most = Math.max(most, (await cordoned(plane)).length);
      expect((await cordoned(plane)).length).toBeLessThanOrEqual(2);
      if (step % 3 === 0) await boot(plane);
    }
    expect(most).toBe(2);
    expect(await doneNodes(plane)).toEqual(NODES.filter(inRack));
    expect(await cordoned(plane)).toEqual([]);
    expect(await statusOf(plane)).toMatchObject({
      selected: 5,
      waiting: 0,
      inProgress: 0,
      done: 5,
      failed: 0,
      nodes: [],
      failures: [],
      conditions: [{ type: 'Progressing', status: 'False', reason: 'Complete' }],
    });
    expect(await plane.readyPods('web')).toBe(14);
    const events = (await plane.eventsOf()).join('\n');
    expect(events).toContain('Node/n1 Normal MaintenanceStarted');
    expect(events).toContain('Node/n1 Normal MaintenanceDone');
    expect(events).not.toContain('DrainCancelled');
    expect(plane.failures).toEqual([]);
  });

  it('waits for machines that do not boot, and shows them (E-24)', async () => {
    const plane = await aSite();
    await maintain(plane);
    await plane.pass(120);
    expect(await statusOf(plane)).toMatchObject({
      waiting: 3,
      inProgress: 2,
      done: 0,
      nodes: [
        { name: 'n1', phase: 'Maintaining' },
        { name: 'n2', phase: 'Maintaining' },
      ],
      conditions: [
        { status: 'True', reason: 'InProgress', message: '2 in progress, 3 waiting, 0 done, 0 failed' },
      ],
    });
  });

  it('puts a node back into service whose drain does not end in time, and goes on with others (E-24, E-25)', async () => {
    const plane = await aSite();
    await plane.addBudget('web', { maxUnavailable: 0 });
    await plane.pass(2);
    await maintain(plane, { drain: { timeoutSeconds: 20 }, durationSeconds: 600 });
    await plane.pass(180);
    const status = await statusOf(plane);
    expect(status).toMatchObject({ waiting: 0, inProgress: 0, failed: 5 });
    expect(status?.failures?.[0]).toMatchObject({
      name: 'n1',
      message: expect.stringContaining('not drained'),
    });
    expect(await cordoned(plane)).toEqual([]);
  });

  it('does not begin while it is suspended, and ends what is in progress when it is deleted (E-25)', async () => {
    const plane = await aSite();
    await maintain(plane, { suspend: true });
    await plane.pass(30);
    expect(await cordoned(plane)).toEqual([]);
    expect((await statusOf(plane))?.conditions?.[0]?.reason).toBe('Suspended');
    await plane.writer.write(KEY, (row) => {
      const live = liveRow(row)?.object as NodeMaintenance;
      const metadata = { ...live.metadata, generation: 2 };
      return { next: { ...live, metadata, spec: { ...live.spec, suspend: false } }, writer: 'client' };
    });
    await plane.pass(15);
    expect((await cordoned(plane)).length).toBe(2);
    await plane.writer.write(KEY, () => ({ next: 'delete', writer: 'client' }));
    await plane.pass(5);
    expect(await cordoned(plane)).toEqual([]);
    expect(await plane.state.control.sightings('maintenance')).toEqual([]);
  });

  it('goes on after messages were lost (E-21)', async () => {
    const plane = await aSite();
    await maintain(plane);
    await plane.pass(5);
    plane.set('drain', false);
    await plane.pass(30);
    plane.set('drain', true);
    await plane.pass(70);
    expect((await cordoned(plane)).length).toBe(2);
  });

  it('says that a window was missed during which nobody looked (E-22)', async () => {
    const plane = await aSite();
    await maintain(plane, { durationSeconds: 60 });
    await plane.pass(5);
    plane.set('drain', false);
    await plane.pass(70);
    plane.set('drain', true);
    await plane.pass(100);
    expect(await cordoned(plane)).toEqual([]);
    const missed = (await plane.eventsOf()).filter((text) => text.includes('WindowMissed'));
    expect(missed).toEqual([expect.stringContaining('NodeMaintenance/rack-r7 Warning WindowMissed')]);
  });

  it('counts what is done when the window ends before the last machine has booted (E-24)', async () => {
    const plane = await aSite();
    await maintain(plane, { durationSeconds: 60 });
    await plane.pass(20);
    await boot(plane);
    await plane.pass(100);
    const before = await statusOf(plane);
    expect(before).toMatchObject({ inProgress: 2, done: 2 });
    await boot(plane);
    await plane.pass(10);
    expect(await statusOf(plane)).toMatchObject({ inProgress: 0, done: 4, failed: 0 });
    expect(await cordoned(plane)).toEqual([]);
  });

  it('finds nodes that its status does not tell of: a run crashed after it had begun with them (E-21)', async () => {
    const plane = await aSite();
    await maintain(plane, { durationSeconds: 60, doneWhen: 'Drained' });
    await plane.pass(5);
    plane.set('drain', false);
    const request = {
      id: 'maintenance/rack-r7/2023-11-14T22:13:30.000Z',
      by: '',
      reason: '',
      requestedAt: 0,
    };
    await plane.changeNode('n1', (node) => withMaintenance(node, request));
    await plane.pass(70);
    plane.set('drain', true);
    await plane.pass(600);
    expect(await cordoned(plane)).toEqual([]);
    expect(maintenanceOf((await plane.node('n1')) as Node)?.phase).not.toBe('InProgress');
  });

  it('leaves a node to an operator who drains it meanwhile (E-24, E-25)', async () => {
    const plane = await aSite();
    await maintain(plane, { doneWhen: 'Annotated' });
    await plane.pass(30);
    await plane.drain('n1', { id: 'mine' });
    await plane.pass(8);
    expect(await cordoned(plane)).toContain('n1');
    expect((await statusOf(plane))?.failures?.[0]).toMatchObject({
      name: 'n1',
      message: 'taken over by another drain, requested by alice',
    });
  });
});
