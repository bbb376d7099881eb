import { describe, expect, it } from 'vitest';
import { rememberNode } from '../../../../lambdas/cloud-node/answers/known-instances.ts';
import { reconcile } from '../../../../lambdas/cloud-node/reconcile.ts';
import type { Event, Node } from '../../../../shared/kube/types/core.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import { withAnnotation } from '../../../../shared/kube/values/with-annotation.ts';
import type { FencingRequest } from '../../../../shared/ports/outside/fencing.ts';
import { liveRow, nodeKey } from '../../../../shared/ports/store/rows.ts';
import { MACHINE_ANNOTATION } from '../../../../shared/rules/cloud/machine-annotation.ts';
import { drainRequestOf } from '../../../../shared/rules/drain/node-drain.ts';
import { POLICY_ANNOTATION } from '../../../../shared/rules/nodes/out-of-service-proof.ts';
import { taintText } from '../../../support/objects/domain-objects.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import { createFakeCloud } from '../../../support/planes/fake-cloud.ts';
import * as fleet from '../../../support/planes/fleet.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const idOf = (machine: string): string => `aws:///eu-west-1a/${machine}`;
const OUT = 'node.kubernetes.io/out-of-service=nodeshutdown:NoExecute';

/** A fleet whose machine `i-1` is that of the Node `victim`, by the word of the provider. */
const aPlane = async () => {
  const cloud = createFakeCloud();
  const asked: FencingRequest[] = [];
  const fencing = {
    fence: async (request: FencingRequest) => {
      asked.push(request);
      return true;
    },
  };
  const plane = createMemoryControlPlane({ cloud, fencing });
  const alive = new Set<string>();
  fleet.keepBeating(plane, alive);
  const nodeOf = async (name: string): Promise<Node | undefined> =>
    liveRow(await plane.state.objects.read(nodeKey(name)))?.object;
  const annotate = (name: string, key: string, value: string | undefined) =>
    fleet.changeNode(plane, name, (node) => ({
      ...node,
      metadata: withAnnotation(node.metadata, key, value),
    }));
  const add = async (name: string, machine: string): Promise<void> => {
    await fleet.addNode(plane, name, { ready: 'True', zone: 'a' });
    await fleet.changeNode(plane, name, (node) => ({
      ...node,
      metadata: withAnnotation(node.metadata, POLICY_ANNOTATION, 'proven'),
      spec: { ...node.spec, providerID: idOf(machine) },
    }));
    alive.add(name);
    await plane.run(5 * SECOND);
  };
  const wordOf = async (name: string) => (await nodeOf(name))?.metadata.annotations?.[MACHINE_ANNOTATION];
  const isDrained = async (name: string) => drainRequestOf((await nodeOf(name)) as Node) !== undefined;
  const isOut = async (name: string) =>
    ((await nodeOf(name))?.spec?.taints ?? []).map(taintText).includes(OUT);
  const events = async (reason: string) =>
    (await plane.state.objects.page({ resource: 'events', namespace: 'default' })).rows
      .map(({ object }) => object as Event)
      .filter((event) => event.reason === reason)
      .map(({ involvedObject }) => involvedObject.name);
  const hears = (source: string, type: string, detail: Readonly<Record<string, unknown>>) =>
    reconcile(plane.invoke(), {
      id: 'e',
      source,
      'detail-type': type,
      detail,
      time: toTime(plane.clock.now()),
    });
  const spot = (machine: string) =>
    hears('aws.ec2', 'EC2 Spot Instance Interruption Warning', {
      'instance-id': machine,
      'instance-action': 'terminate',
    });
  const scalesIn = (machine: string) =>
    hears('aws.autoscaling', 'EC2 Instance-terminate Lifecycle Action', {
      LifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING',
      LifecycleHookName: 'h',
      EC2InstanceId: machine,
      AutoScalingGroupName: 'g',
      LifecycleActionToken: 't',
    });
  cloud.set(idOf('i-1'), 'running', { nodeName: 'victim' });
  cloud.set(idOf('i-2'), 'running', { nodeName: 'n2' });
  return { plane, cloud, asked, alive, annotate, add, wordOf, isDrained, isOut, events, spot, scalesIn };
};

describe('a node that names the machine of another one (J-391 to J-393)', () => {
  it.each([['first'], ['last']])('has no verified machine, whether it comes %s', async (when) => {
    const { add, wordOf } = await aPlane();
    if (when === 'first') await add('evil', 'i-1');
    await add('victim', 'i-1');
    if (when === 'last') await add('evil', 'i-1');
    expect(await wordOf('evil')).toBeUndefined();
    expect(await wordOf('victim')).toBe('i-1 ambiguous');
  });

  it('has no machine switched off by its silence: the fencing service is asked by its name', async () => {
    const { plane, asked, alive, add, events } = await aPlane();
    for (const [name, machine] of [
      ['victim', 'i-1'],
      ['n2', 'i-2'],
      ['n3', 'i-3'],
      ['evil', 'i-1'],
    ] as const)
      await add(name, machine);
    alive.delete('evil');
    await plane.run(6 * MINUTE);
    expect(asked.map(({ node, providerId }) => [node, providerId])).toEqual([['evil', '']]);
    expect(await events('MachineNotVerified')).toContain('evil');
  });

  it('gets none of the words about it, which the Node gets that the provider names', async () => {
    const { add, isDrained, spot } = await aPlane();
    await add('evil', 'i-1');
    await add('victim', 'i-1');
    expect(await spot('i-1')).toMatchObject({ drained: 1 });
    expect(await isDrained('victim')).toBe(true);
    expect(await isDrained('evil')).toBe(false);
  });

  it('does not have its group end it', async () => {
    const { plane, cloud, add, isDrained, scalesIn, events } = await aPlane();
    await add('evil', 'i-1');
    await scalesIn('i-1');
    await plane.run(2 * MINUTE);
    expect(cloud.told).toEqual([]);
    expect(await isDrained('evil')).toBe(false);
    expect(await events('MachineNotVerified')).toEqual(['evil']);
  });

  it('is no proof that the node is off when that machine is stopped', async () => {
    const { plane, cloud, alive, add, isOut, events, asked } = await aPlane();
    for (const [name, machine] of [
      ['n2', 'i-2'],
      ['n3', 'i-3'],
      ['evil', 'i-1'],
    ] as const)
      await add(name, machine);
    cloud.set(idOf('i-1'), 'stopped', { nodeName: 'victim' });
    alive.delete('evil');
    await plane.run(90 * SECOND);
    expect(asked).toEqual([]);
    expect(await isOut('evil')).toBe(false);
    expect(await events('MachineNotVerified')).toContain('evil');
  });
});

describe('a machine that two Nodes name (J-392)', () => {
  it('is not switched off until one of them is gone', async () => {
    const { plane, asked, alive, add, events, wordOf } = await aPlane();
    for (const [name, machine] of [
      ['victim', 'i-1'],
      ['n2', 'i-2'],
      ['n3', 'i-3'],
      ['evil', 'i-1'],
    ] as const)
      await add(name, machine);
    alive.delete('victim');
    await plane.run(6 * MINUTE);
    expect(asked).toEqual([]);
    expect(await events('MachineAmbiguous')).toContain('victim');
    await fleet.removeNode(plane, 'evil');
    alive.delete('evil');
    await plane.run(2 * MINUTE);
    expect(await wordOf('victim')).toBe('i-1 cloud');
    expect(asked.map(({ node, providerId }) => [node, providerId])).toEqual([['victim', idOf('i-1')]]);
  });

  it('is settled by the word of an administrator', async () => {
    const { plane, asked, alive, annotate, add } = await aPlane();
    for (const [name, machine] of [
      ['victim', 'i-1'],
      ['n2', 'i-2'],
      ['n3', 'i-3'],
      ['evil', 'i-1'],
    ] as const)
      await add(name, machine);
    await annotate('victim', MACHINE_ANNOTATION, 'i-1 operator');
    alive.delete('victim');
    await plane.run(6 * MINUTE);
    expect(asked.map(({ node, providerId }) => [node, providerId])).toEqual([['victim', idOf('i-1')]]);
  });
});

describe('a Node that its provider names', () => {
  it('has a verified machine, is out of service when that is stopped, and loses it when the provider names another', async () => {
    const { plane, cloud, alive, add, wordOf, isOut } = await aPlane();
    for (const [name, machine] of [
      ['victim', 'i-1'],
      ['n2', 'i-2'],
      ['n3', 'i-3'],
    ] as const)
      await add(name, machine);
    expect(await wordOf('victim')).toBe('i-1 cloud');
    expect(await wordOf('n3')).toBeUndefined();
    cloud.set(idOf('i-2'), 'running', { nodeName: 'other' });
    cloud.set(idOf('i-1'), 'stopped', { nodeName: 'victim' });
    alive.delete('victim');
    await plane.run(90 * SECOND);
    expect(await isOut('victim')).toBe(true);
    await plane.run(60 * MINUTE);
    expect(await wordOf('n2')).toBeUndefined();
  });

  it('is asked about before a word is left out: a provider may name it only now', async () => {
    const { cloud, add, isDrained, spot } = await aPlane();
    cloud.set(idOf('i-3'), 'running');
    await add('n3', 'i-3');
    expect(await spot('i-3')).toMatchObject({ drained: 0 });
    cloud.set(idOf('i-3'), 'running', { nodeName: 'n3' });
    expect(await spot('i-3')).toMatchObject({ drained: 1 });
    expect(await isDrained('n3')).toBe(true);
  });
});

describe('a Node whose providerID is not the machine that an administrator names (J-391, J-393)', () => {
  it.each([[''], ['i-9']])('gets the words about that machine; its own is "%s"', async (own) => {
    const { plane, annotate, add, isDrained, spot } = await aPlane();
    await (own === '' ? fleet.addNode(plane, 'n3', { ready: 'True' }) : add('n3', own));
    await plane.run(5 * SECOND);
    await annotate('n3', MACHINE_ANNOTATION, 'i-7 operator');
    await plane.run(5 * SECOND);
    expect(await spot('i-7')).toMatchObject({ drained: 1 });
    expect(await isDrained('n3')).toBe(true);
  });

  it('gets them although another Node names the machine, and came first', async () => {
    const { plane, annotate, add, isDrained, spot } = await aPlane();
    await add('evil', 'i-7');
    await add('n3', 'i-7');
    await annotate('n3', MACHINE_ANNOTATION, 'i-7 operator');
    await plane.run(5 * SECOND);
    expect(await spot('i-7')).toMatchObject({ drained: 1 });
    expect(await isDrained('n3')).toBe(true);
  });

  it('is not proven to be off by the machine that it names itself', async () => {
    const { plane, cloud, alive, annotate, add, isOut } = await aPlane();
    for (const [name, machine] of [
      ['n2', 'i-2'],
      ['n3', 'i-3'],
      ['n4', 'i-1'],
    ] as const)
      await add(name, machine);
    await annotate('n4', MACHINE_ANNOTATION, 'i-7 operator');
    cloud.set(idOf('i-1'), 'stopped', { nodeName: 'victim' });
    cloud.set(idOf('i-7'), 'running');
    alive.delete('n4');
    await plane.run(90 * SECOND);
    expect(await isOut('n4')).toBe(false);
  });
});

it('a group gets its answer although the Node has lost its word meanwhile: the provider is asked (J-393)', async () => {
  const { plane, cloud, annotate, add, scalesIn } = await aPlane();
  await add('victim', 'i-1');
  await scalesIn('i-1');
  await annotate('victim', MACHINE_ANNOTATION, undefined);
  await plane.run(2 * MINUTE);
  expect(cloud.told).toContain('complete i-1 h');
});

it('two Nodes that name a machine at the same instant are both known: the one that comes second looks again (J-392)', async () => {
  const { plane } = await aPlane();
  for (const name of ['a', 'b']) {
    await fleet.addNode(plane, name, { ready: 'True' });
    await fleet.changeNode(plane, name, (node) => ({
      ...node,
      spec: { ...node.spec, providerID: idOf('i-5') },
    }));
  }
  const deps = plane.invoke();
  const sent: string[] = [];
  const queues: typeof deps.queues = {
    ...deps.queues,
    send: async (_, messages) => void sent.push(...messages.map(({ body }) => JSON.stringify(body))),
  };
  const claim = (nodeName: string) =>
    rememberNode({ ...deps, queues }, { instance: 'i-5', nodeName, isNamed: false });
  await Promise.all([claim('a'), claim('b')]);
  expect(sent).toHaveLength(1);
  const [looked = ''] = ['a', 'b'].filter((name) => sent[0]?.includes(`["${name}"]`));
  expect(await claim(looked)).toBe(true);
});
