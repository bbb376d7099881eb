// The drain controller among all controllers, over memory adapters in virtual time.

import { describe, expect, it } from 'vitest';
import { lookAtNode } from '../../../../lambdas/drain/reconcile.ts';
import { sweep } from '../../../../lambdas/drain/sweep.ts';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import { withoutDrainRequest } from '../../../../shared/rules/drain/node-drain.ts';
import { aDrainPlane, type DrainPlane } from '../../../support/planes/drain-plane.ts';

const MINUTE = 60_000;

const bare = (name: string, node: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: `uid-${name}`, labels: { app: 'bare' }, generation: 1 },
  spec: { nodeName: node, terminationGracePeriodSeconds: 30 },
  status: { phase: 'Running' },
});

const aPlaneWithWeb = async (replicas = 6) => {
  const plane = await aDrainPlane(['n1', 'n2', 'n3']);
  await plane.addReplicas('web', replicas);
  await plane.pass(5);
  return plane;
};

const drainEvents = async (plane: DrainPlane): Promise<readonly string[]> =>
  (await plane.eventsOf()).filter((text) => text.includes('(drain-controller)'));

describe('a drain', () => {
  it('moves the pods of the node elsewhere, and says so (E-17, E-18)', async () => {
    const plane = await aPlaneWithWeb();
    expect((await plane.podsOn('n1')).length).toBeGreaterThan(0);
    await plane.drain('n1');
    await plane.pass(8);
    expect(await plane.podsOn('n1')).toEqual([]);
    expect(await plane.readyPods('web')).toBe(6);
    expect(await plane.conditionOf('n1', 'Drained')).toBe('True NodeDrained');
    expect(await plane.conditionOf('n1', 'DrainInProgress')).toBe('False NodeDrained');
    expect(await drainEvents(plane)).toEqual(
      expect.arrayContaining([
        expect.stringContaining(
          'Node/n1 Normal DrainStarted Node n1 is being drained, requested by alice: kernel',
        ),
        expect.stringContaining('Node/n1 Normal NodeDrained Node n1 is drained'),
      ]),
    );
    expect(await plane.state.control.sightings('drain')).toEqual([]);
    expect(plane.failures).toEqual([]);
  });

  it('evicts nothing while a selector of its request cannot be parsed (E-15)', async () => {
    const plane = await aPlaneWithWeb();
    const before = await plane.podsOn('n1');
    await plane.drain('n1', { podSelectors: ['app=web', 'a b c'] });
    await plane.pass(8);
    expect(await plane.podsOn('n1')).toEqual(before);
    expect(await plane.conditionOf('n1', 'DrainInProgress')).toBe('False InvalidRequest');
    expect(await plane.conditionOf('n1', 'Drained')).toBe('False InvalidRequest');
    expect(await drainEvents(plane)).toContainEqual(expect.stringContaining('Warning DrainInvalid'));
    await plane.changeNode('n1', withoutDrainRequest);
    await plane.drain('n1', { id: 'right', podSelectors: ['app=web'] });
    await plane.pass(8);
    expect(await plane.conditionOf('n1', 'Drained')).toBe('True NodeDrained');
    expect(plane.failures).toEqual([]);
  });

  it('gives its pods the condition of an eviction, and the grace period of the request (E-16)', async () => {
    const plane = await aPlaneWithWeb();
    await plane.drain('n1', { gracePeriodSeconds: 7 });
    await plane.run(500);
    const [name = ''] = await plane.podsOn('n1');
    expect(await plane.read<Pod>('pods', name)).toMatchObject({
      metadata: { deletionGracePeriodSeconds: 7 },
      status: {
        conditions: expect.arrayContaining([
          expect.objectContaining({ type: 'DisruptionTarget', reason: 'EvictionByEvictionAPI' }),
        ]),
      },
    });
  });

  it('waits for a budget, names it, and goes on as soon as it allows more (E-17, E-19)', async () => {
    const plane = await aPlaneWithWeb();
    await plane.addBudget('web', { minAvailable: 6 });
    await plane.pass(3);
    await plane.drain('n1');
    await plane.pass(40);
    const held = (await plane.podsOn('n1')).length;
    expect(held).toBeGreaterThan(0);
    expect(await plane.conditionOf('n1', 'DrainInProgress')).toBe('True WaitingForBudgets');
    expect(await plane.messageOf('n1')).toContain(
      'The disruption budget web needs 6 healthy pods and has 6 currently',
    );
    expect((await drainEvents(plane)).join()).toContain('DrainBlocked');
    await plane.change('poddisruptionbudgets', 'web', (given) => ({
      ...given,
      metadata: { ...given.metadata, generation: 2 },
      spec: { selector: { matchLabels: { app: 'web' } }, minAvailable: 5 },
    }));
    await plane.pass(2);
    expect((await plane.podsOn('n1')).length).toBeLessThan(held);
    await plane.pass(30);
    expect(await plane.conditionOf('n1', 'Drained')).toBe('True NodeDrained');
  });

  it('never lets a budget be violated when several nodes drain (E-19)', async () => {
    const plane = await aDrainPlane(['n1', 'n2', 'n3', 'n4']);
    await plane.addReplicas('web', 12);
    await plane.pass(5);
    await plane.addBudget('web', { maxUnavailable: 2 });
    await plane.pass(3);
    for (const name of ['n1', 'n2', 'n3']) await plane.drain(name);
    for (let step = 0; step < 60; step += 1) {
      await plane.pass(1);
      expect(await plane.readyPods('web')).toBeGreaterThanOrEqual(10);
    }
    for (const name of ['n1', 'n2', 'n3'])
      expect(await plane.conditionOf(name, 'Drained')).toBe('True NodeDrained');
    expect((await plane.podsOn('n4')).length).toBe(12);
  });

  it('leaves bare pods, names them, and takes them when a second request permits it (E-11, E-14)', async () => {
    const plane = await aPlaneWithWeb();
    await plane.put('pods', bare('alone', 'n1'));
    await plane.drain('n1');
    await plane.pass(8);
    expect(await plane.podsOn('n1')).toEqual(['alone']);
    expect(await plane.conditionOf('n1', 'DrainInProgress')).toBe('True PodsNotPermitted');
    expect(await plane.messageOf('n1')).toContain(
      'cannot delete Pods that declare no controller (use force to override): default/alone',
    );
    await plane.drain('n1', { id: 'again', force: true });
    await plane.pass(5);
    expect(await plane.conditionOf('n1', 'Drained')).toBe('True NodeDrained');
  });

  it('gives up at its deadline, and says what is left (E-17)', async () => {
    const plane = await aPlaneWithWeb();
    await plane.addBudget('web', { minAvailable: 6 });
    await plane.pass(3);
    await plane.drain('n1', { deadlineAt: plane.clock.now() + 20_000 });
    await plane.pass(25);
    expect(await plane.conditionOf('n1', 'DrainInProgress')).toBe('False DeadlineExceeded');
    expect(await plane.conditionOf('n1', 'Drained')).toBe('False DeadlineExceeded');
    expect((await drainEvents(plane)).join()).toContain('DrainDeadlineExceeded');
    expect(await plane.state.control.sightings('drain')).toEqual([]);
    expect((await plane.podsOn('n1')).length).toBeGreaterThan(0);
  });

  it('deletes from the instant on that the request names, whatever the budget says (E-16)', async () => {
    const plane = await aPlaneWithWeb();
    await plane.addBudget('web', { minAvailable: 6 });
    await plane.pass(3);
    await plane.drain('n1', { deleteAt: plane.clock.now() + 20_000 });
    await plane.pass(19);
    expect((await plane.podsOn('n1')).length).toBeGreaterThan(0);
    await plane.pass(6);
    expect(await plane.conditionOf('n1', 'Drained')).toBe('True NodeDrained');
  });

  it('is cancelled by an uncordon: nothing more goes, and the conditions do (E-13, E-18)', async () => {
    const plane = await aPlaneWithWeb();
    await plane.addBudget('web', { minAvailable: 6 });
    await plane.pass(3);
    await plane.drain('n1');
    await plane.pass(5);
    const held = await plane.podsOn('n1');
    await plane.uncordon('n1');
    await plane.change('poddisruptionbudgets', 'web', () => 'delete');
    await plane.pass(60);
    expect(await plane.podsOn('n1')).toEqual(held);
    expect(await plane.conditionOf('n1', 'DrainInProgress')).toBeUndefined();
    expect((await drainEvents(plane)).join()).toContain('DrainCancelled');
    expect(await plane.state.control.sightings('drain')).toEqual([]);
  });

  it.each<[string, Parameters<DrainPlane['addBudget']>[1] | undefined, string]>([
    ['is done', undefined, 'True NodeDrained'],
    ['waits', { minAvailable: 6 }, 'False WaitingForBudgets'],
  ])(
    'writes its conditions again when a client has replaced all of the Node, while it %s (E-26)',
    async (_, budget, wanted) => {
      const plane = await aPlaneWithWeb();
      if (budget) await plane.addBudget('web', budget);
      await plane.pass(3);
      await plane.drain('n1');
      await plane.pass(8);
      expect(await plane.conditionOf('n1', 'Drained')).toBe(wanted);
      await plane.changeNode('n1', (node) => ({
        ...node,
        status: {
          ...node.status,
          conditions: node.status?.conditions?.filter(({ type }) => type === 'Ready') ?? [],
        },
      }));
      await plane.pass(3);
      expect(await plane.conditionOf('n1', 'Drained')).toBe(wanted);
      expect(plane.failures).toEqual([]);
    },
  );

  it('takes pods that come to the node although it is cordoned (E-20)', async () => {
    const plane = await aPlaneWithWeb();
    await plane.drain('n1', { force: true });
    await plane.pass(8);
    const pod = bare('late', 'n1');
    const tolerations = [{ operator: 'Exists' }] as const;
    await plane.put('pods', { ...pod, spec: { ...pod.spec, tolerations } } as Pod);
    await plane.pass(5);
    expect(await plane.podsOn('n1')).toEqual([]);
    expect(await plane.conditionOf('n1', 'Drained')).toBe('True NodeDrained');
  });

  it('ends with its node, and a node of the same name has none (E-20)', async () => {
    const plane = await aPlaneWithWeb();
    await plane.addBudget('web', { minAvailable: 6 });
    await plane.pass(3);
    await plane.drain('n1');
    await plane.pass(3);
    await plane.changeNode('n1', () => 'delete');
    await plane.pass(20);
    expect(await plane.state.control.sightings('drain')).toEqual([]);
    await plane.addNode('n1');
    await plane.pass(5);
    expect(await plane.conditionOf('n1', 'DrainInProgress')).toBeUndefined();
  });
});

describe('a look at a node with many pods', () => {
  it('lists the budgets of their namespace once (E-19)', async () => {
    const plane = await aDrainPlane(['n1', 'n2']);
    await plane.addBudget('web', { maxUnavailable: '100%' });
    await plane.addReplicas('web', 100);
    await plane.pass(5);
    const before = (await plane.podsOn('n1')).length;
    plane.set('drain', false);
    await plane.drain('n1');
    const ports = plane.invoke();
    let lists = 0;
    const page: typeof ports.objects.page = (query) => {
      if (query.resource === 'poddisruptionbudgets') lists += 1;
      return ports.objects.page(query);
    };
    const objects = { ...ports.objects, page };
    const report = await plane.clock.run(lookAtNode({ ...ports, objects }, 'n1'));
    expect(report).toMatchObject({ evicted: before, failed: 0 });
    expect(before).toBeGreaterThan(20);
    expect(lists).toBe(1);
  });
});

describe('a budget whose controller has not stored a status of this generation', () => {
  it.each<[string, Parameters<DrainPlane['addBudget']>[1], string]>([
    ['refuses', { minAvailable: 6 }, 'web needs 6 healthy pods and has 6 currently'],
    ['grants', { maxUnavailable: 6 }, 'are left; '],
  ])('%s by its pods (E-19)', async (_, spec, wanted) => {
    const plane = await aPlaneWithWeb();
    plane.set('disruption', false);
    await plane.addBudget('web', spec);
    await plane.drain('n1');
    await plane.run(500);
    expect(await plane.messageOf('n1')).toContain(wanted);
    expect(await plane.messageOf('n1')).not.toContain('still being processed');
    expect(plane.failures).toEqual([]);
  });
});

describe('a drain whose messages are lost', () => {
  it('is found by a scan of all nodes (E-21)', async () => {
    const plane = await aPlaneWithWeb();
    plane.set('drain', false);
    await plane.drain('n1');
    await plane.pass(3);
    plane.set('drain', true);
    expect(await plane.conditionOf('n1', 'DrainInProgress')).toBeUndefined();
    const toTheScan = 10 * MINUTE - (plane.clock.now() % (10 * MINUTE));
    plane.set('drain-sweep', false);
    await plane.run(toTheScan);
    await plane.clock.run(sweep({ ...plane.invoke() }));
    await plane.pass(8);
    expect(await plane.conditionOf('n1', 'Drained')).toBe('True NodeDrained');
  });

  it('goes on by the sweep if its planned look was lost (E-21)', async () => {
    const plane = await aPlaneWithWeb();
    await plane.addBudget('web', { minAvailable: 6 });
    await plane.pass(3);
    await plane.drain('n1');
    await plane.pass(2);
    plane.set('drain', false);
    await plane.change('poddisruptionbudgets', 'web', () => 'delete');
    await plane.pass(40);
    expect((await plane.podsOn('n1')).length).toBeGreaterThan(0);
    plane.set('drain', true);
    await plane.pass(70);
    expect(await plane.conditionOf('n1', 'Drained')).toBe('True NodeDrained');
  });
});
