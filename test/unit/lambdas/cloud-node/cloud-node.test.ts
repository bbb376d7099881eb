import { describe, expect, it } from 'vitest';
import type { CloudNodeMessage } from '../../../../lambdas/cloud-node/message.ts';
import { telemetry } from '../../../../lambdas/cloud-node/metrics.ts';
import { reconcile } from '../../../../lambdas/cloud-node/reconcile.ts';
import type { Event, Node } from '../../../../shared/kube/types/core.ts';
import type { ConditionStatus } from '../../../../shared/kube/types/meta.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import { liveRow, nodeKey } from '../../../../shared/ports/store/rows.ts';
import { drainRequestOf } from '../../../../shared/rules/drain/node-drain.ts';
import type { ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';
import { taint, taintText } from '../../../support/objects/domain-objects.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import { createFakeCloud } from '../../../support/planes/fake-cloud.ts';
import * as fleet from '../../../support/planes/fleet.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const WAITS = 'node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule';

const idOf = (machine: string): string => `aws:///eu-west-1a/${machine}`;

const aPlane = async () => {
  const cloud = createFakeCloud();
  const plane = createMemoryControlPlane({ cloud });
  const alive = new Set<string>();
  fleet.keepBeating(plane, alive);
  const add = async (name: string, machine: string, status: ConditionStatus = 'True'): Promise<void> => {
    await fleet.addNode(plane, name, { ready: status });
    await fleet.changeNode(plane, name, (node) => ({
      ...node,
      spec: { ...node.spec, providerID: idOf(machine) },
    }));
    if (status === 'True') alive.add(name);
  };
  const hears = (machine: string, state: string) =>
    reconcile(plane.invoke(), {
      id: 'e',
      source: 'aws.ec2',
      'detail-type': 'EC2 Instance State-change Notification',
      time: '2026-01-06T00:00:00Z',
      detail: { 'instance-id': machine, state },
    } satisfies CloudNodeMessage);
  const learns = (source: string, type: string, detail: Readonly<Record<string, unknown>>) =>
    reconcile(plane.invoke(), {
      id: 'e2',
      source,
      'detail-type': type,
      detail,
      time: toTime(plane.clock.now()),
    });
  return { plane, cloud, alive, add, hears, learns };
};

const nodeOf = async ({ state }: ControlPlane, name: string): Promise<Node | undefined> =>
  liveRow(await state.objects.read(nodeKey(name)))?.object;

const names = async ({ state }: ControlPlane): Promise<readonly string[]> =>
  (await state.objects.page({ resource: 'nodes', namespace: '' })).rows.map(({ key }) => key.name);

const events = async ({ state }: ControlPlane): Promise<readonly string[]> =>
  (await state.objects.page({ resource: 'events', namespace: 'default' })).rows.flatMap(({ object }) => {
    const { source, reason, message, involvedObject } = object as Event;
    const isOurs = source?.component?.startsWith('cloud-node') === true;
    return isOurs ? [`${involvedObject.name} ${reason}: ${message}`] : [];
  });

const taints = async (plane: ControlPlane, name: string): Promise<readonly string[]> =>
  ((await nodeOf(plane, name))?.spec?.taints ?? []).map(taintText);

describe('a terminated machine', () => {
  it('takes its Node along at once, although that was ready a moment ago (J-70)', async () => {
    const { plane, cloud, add, hears } = await aPlane();
    cloud.set(idOf('i-1'), 'running');
    await add('n1', 'i-1');
    await add('n2', 'i-2');
    await plane.run(10 * SECOND);
    expect(await hears('i-1', 'terminated')).toMatchObject({ deleted: 1 });
    expect(await names(plane)).toEqual(['n2']);
    expect(await events(plane)).toEqual([
      'n1 DeletingNode: Deleting node n1 because it does not exist in the cloud provider',
    ]);
    expect(await hears('i-1', 'terminated')).toMatchObject({ deleted: 0 });
  });

  it('does not take a new machine of the same name along (J-77)', async () => {
    const { plane, cloud, alive, add, hears } = await aPlane();
    cloud.set(idOf('i-1'), 'running');
    cloud.set(idOf('i-2'), 'running');
    await add('n1', 'i-1');
    await plane.run(10 * SECOND);
    await fleet.removeNode(plane, 'n1');
    alive.delete('n1');
    await add('n1', 'i-2');
    await hears('i-1', 'terminated');
    await plane.run(10 * SECOND);
    await hears('i-1', 'terminated');
    expect(await names(plane)).toEqual(['n1']);
    await hears('i-2', 'terminated');
    expect(await names(plane)).toEqual([]);
  });

  it('is found by the look at a new Node if its word came before (J-76)', async () => {
    const { plane, cloud, add, hears } = await aPlane();
    cloud.set(idOf('i-1'), 'terminated');
    await hears('i-1', 'terminated');
    await add('n1', 'i-1');
    await plane.run(5 * SECOND);
    expect(await names(plane)).toEqual([]);
  });

  it('that is no Node concerns nobody', async () => {
    const { plane, add, hears } = await aPlane();
    await add('n1', 'i-1');
    expect(await hears('i-9', 'terminated')).toMatchObject({ deleted: 0 });
    expect(await names(plane)).toEqual(['n1']);
  });
});

describe('a machine that its cloud does not find', () => {
  it('takes its Node along once that is not ready (J-71)', async () => {
    const { plane, cloud, alive, add } = await aPlane();
    cloud.set(idOf('i-1'), 'running');
    await add('n1', 'i-1');
    await add('n2', 'i-2');
    await plane.run(5 * MINUTE);
    expect(await names(plane)).toEqual(['n1', 'n2']);
    alive.delete('n2');
    await plane.run(58 * SECOND);
    expect(await names(plane)).toEqual(['n1']);
  });

  it('stays while the provider knows no machine at all, and the log says why (J-75)', async () => {
    const { plane, alive, add } = await aPlane();
    for (const number of [1, 2, 3, 4]) await add(`n${number}`, `i-${number}`);
    await plane.run(10 * SECOND);
    alive.clear();
    await plane.run(30 * MINUTE);
    expect(await names(plane)).toHaveLength(4);
    const report = await reconcile(plane.invoke(), { v: 1, kind: 'nodes', names: ['n1', 'n2'] });
    expect(report).toMatchObject({ deleted: 0, distrusted: 2 });
    expect(telemetry.linesOf(report).map(({ level }) => level)).toEqual(['error']);
  });

  it('is judged again when the provider is back (J-80)', async () => {
    const { plane, cloud, alive, add } = await aPlane();
    cloud.set(idOf('i-1'), 'running');
    await add('n1', 'i-1');
    await add('n2', 'i-2');
    await plane.run(10 * SECOND);
    cloud.isDown = true;
    alive.delete('n2');
    await plane.run(10 * MINUTE);
    expect(await names(plane)).toEqual(['n1', 'n2']);
    const report = await reconcile(plane.invoke(), { v: 1, kind: 'nodes', names: ['n2'] });
    expect(report).toMatchObject({ unanswered: 1 });
    expect(telemetry.linesOf(report)[0]?.message).toContain('asked again');
    cloud.isDown = false;
    await plane.run(MINUTE + SECOND);
    expect(await names(plane)).toEqual(['n1']);
    expect(await plane.deadLetters('cloud-node')).toEqual([]);
  });
});

describe('a Node without a providerID', () => {
  it('stays although no cloud knows its machine, unless it waits for a cloud (J-72)', async () => {
    const { plane, cloud, add } = await aPlane();
    cloud.set(idOf('i-1'), 'running');
    await add('n1', 'i-1');
    await fleet.addNode(plane, 'curl', { ready: 'False' });
    await fleet.addNode(plane, 'lost', { ready: 'False', taints: [taint(WAITS)] });
    await plane.run(5 * MINUTE);
    expect(await names(plane)).toEqual(['curl', 'n1']);
    expect(cloud.asked).not.toContain('curl');
  });
});

describe('a machine that is stopped', () => {
  it('has the shutdown taint until its Node is ready again (J-73)', async () => {
    const { plane, cloud, alive, add, hears } = await aPlane();
    cloud.set(idOf('i-1'), 'running');
    await add('n1', 'i-1');
    await plane.run(10 * SECOND);
    cloud.set(idOf('i-1'), 'stopped');
    await hears('i-1', 'stopped');
    expect(await taints(plane, 'n1')).toEqual([]);
    alive.delete('n1');
    await plane.run(56 * SECOND);
    const shutdown = 'node.cloudprovider.kubernetes.io/shutdown:NoSchedule';
    expect(await taints(plane, 'n1')).toContain(shutdown);
    cloud.set(idOf('i-1'), 'running');
    await fleet.postReady(plane, 'n1', 'True');
    alive.add('n1');
    await plane.run(5 * SECOND);
    expect(await taints(plane, 'n1')).not.toContain(shutdown);
  });
});

describe('a Node that waits for its cloud', () => {
  it('is initialised as soon as the cloud knows its machine (J-74, J-76)', async () => {
    const { plane, cloud } = await aPlane();
    await fleet.addNode(plane, 'n1', { ready: 'True', taints: [taint(WAITS)] });
    await plane.run(20 * SECOND);
    expect(await taints(plane, 'n1')).toEqual([WAITS]);
    cloud.set(idOf('i-1'), 'running', { zone: 'eu-west-1a', labels: { name: 'n1' } });
    await plane.run(30 * SECOND);
    expect(await nodeOf(plane, 'n1')).toMatchObject({
      metadata: { labels: { 'topology.kubernetes.io/zone': 'eu-west-1a' } },
      spec: { providerID: idOf('i-1') },
    });
    expect(await events(plane)).toEqual(['n1 Synced: Node synced successfully']);
  });
});

describe('a machine that is going to leave', () => {
  const SPOT = ['aws.ec2', 'EC2 Spot Instance Interruption Warning'] as const;
  const requestOf = async (plane: ControlPlane, name: string) => {
    const node = await nodeOf(plane, name);
    return node && drainRequestOf(node);
  };

  it('has its Node cordoned and drained, and its pods deleted before the end (J-81)', async () => {
    const { plane, cloud, add, learns } = await aPlane();
    cloud.set(idOf('i-1'), 'running', { nodeName: 'n1' });
    await add('n1', 'i-1');
    await plane.run(10 * SECOND);
    await fleet.addPod(plane, 'p', { node: 'n1' });
    const now = Math.floor(plane.clock.now() / SECOND) * SECOND;
    expect(await learns(...SPOT, { 'instance-id': 'i-1' })).toMatchObject({ drained: 1 });
    expect(await nodeOf(plane, 'n1')).toMatchObject({ spec: { unschedulable: true } });
    expect(await requestOf(plane, 'n1')).toMatchObject({
      by: 'cloud-node',
      force: true,
      deadlineAt: now + 120 * SECOND,
      deleteAt: now + 60 * SECOND,
    });
    expect(await events(plane)).toEqual([
      `n1 SpotInterruption: Node n1 is cordoned and drained until ${toTime(now + 120 * SECOND)}: the Spot instance is interrupted`,
    ]);
    expect(await learns(...SPOT, { 'instance-id': 'i-1' })).toMatchObject({ drained: 0 });
    await plane.run(10 * SECOND);
    expect((await fleet.readPod(plane, 'p'))?.metadata.deletionTimestamp).toBeDefined();
  });

  it('does not drain a new machine of the same name (J-77)', async () => {
    const { plane, cloud, add, alive, learns } = await aPlane();
    cloud.set(idOf('i-1'), 'running', { nodeName: 'n1' });
    cloud.set(idOf('i-2'), 'running', { nodeName: 'n1' });
    await add('n1', 'i-1');
    await plane.run(10 * SECOND);
    await fleet.removeNode(plane, 'n1');
    alive.clear();
    await add('n1', 'i-2');
    expect(await learns(...SPOT, { 'instance-id': 'i-1' })).toMatchObject({ drained: 0 });
    expect(await requestOf(plane, 'n1')).toBeUndefined();
  });

  const hook = (plane: ControlPlane) =>
    reconcile(plane.invoke(), {
      id: 'e3',
      source: 'aws.autoscaling',
      'detail-type': 'EC2 Instance-terminate Lifecycle Action',
      time: toTime(plane.clock.now()),
      detail: {
        LifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING',
        LifecycleHookName: 'h',
        EC2InstanceId: 'i-1',
        AutoScalingGroupName: 'g',
        LifecycleActionToken: 't',
      },
    } satisfies CloudNodeMessage);

  it('is ended by its group as soon as its Node is drained, and not before (J-82)', async () => {
    const { plane, cloud, add } = await aPlane();
    cloud.set(idOf('i-1'), 'running', { nodeName: 'n1' });
    await add('n1', 'i-1');
    await plane.run(10 * SECOND);
    await fleet.addPod(plane, 'p', { node: 'n1' });
    await hook(plane);
    await plane.run(35 * SECOND);
    expect(new Set(cloud.told)).toEqual(new Set(['prolong i-1 h']));
    await fleet.changePod(plane, 'p', () => 'delete');
    await plane.run(30 * SECOND);
    expect(cloud.told.filter((one) => one.startsWith('complete'))).toEqual(['complete i-1 h']);
    const { length } = cloud.told;
    await plane.run(10 * MINUTE);
    expect(cloud.told).toHaveLength(length);
  });

  it('is left to its group once somebody uncordons the Node (J-82)', async () => {
    const { plane, cloud, add } = await aPlane();
    cloud.set(idOf('i-1'), 'running', { nodeName: 'n1' });
    await add('n1', 'i-1');
    await plane.run(10 * SECOND);
    await fleet.addPod(plane, 'p', { node: 'n1' });
    await hook(plane);
    await plane.run(15 * SECOND);
    await fleet.changeNode(plane, 'n1', (node) => ({
      ...node,
      spec: { ...node.spec, unschedulable: false },
    }));
    await plane.run(15 * SECOND);
    cloud.told.length = 0;
    await plane.run(2 * 60 * MINUTE);
    expect(cloud.told).toEqual([]);
  });
});

describe('the sweep (J-80)', () => {
  it('looks each minute at the Nodes that are not ready, and each hour at all', async () => {
    const { plane, cloud, alive, add } = await aPlane();
    for (const number of [1, 2, 3]) {
      cloud.set(idOf(`i-${number}`), 'running');
      await add(`n${number}`, `i-${number}`);
    }
    await plane.run(10 * MINUTE);
    alive.delete('n3');
    await plane.run(2 * MINUTE);
    cloud.asked.length = 0;
    await plane.run(10 * MINUTE);
    expect(new Set(cloud.asked)).toEqual(new Set(['n3']));
    expect(cloud.asked.length).toBe(10);
    await plane.run(60 * MINUTE);
    expect(new Set(cloud.asked)).toEqual(new Set(['n1', 'n2', 'n3']));
  });

  it('finds a terminated machine whose word was lost', async () => {
    const { plane, cloud, add } = await aPlane();
    cloud.set(idOf('i-1'), 'running');
    await add('n1', 'i-1');
    await plane.run(MINUTE);
    cloud.set(idOf('i-1'), 'terminated');
    await plane.run(61 * MINUTE);
    expect(await names(plane)).toEqual([]);
  });

  it('does nothing without a provider', async () => {
    const plane = createMemoryControlPlane();
    await fleet.addNode(plane, 'n1', { ready: 'False', taints: [taint(WAITS)] });
    await plane.run(10 * MINUTE);
    expect(await names(plane)).toEqual(['n1']);
  });
});
