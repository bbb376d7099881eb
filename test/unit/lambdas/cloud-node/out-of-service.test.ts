import { describe, expect, it } from 'vitest';
import { telemetry } from '../../../../lambdas/cloud-node/metrics.ts';
import { reconcile } from '../../../../lambdas/cloud-node/reconcile.ts';
import type { Event, Node } from '../../../../shared/kube/types/core.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import { withAnnotation } from '../../../../shared/kube/values/with-annotation.ts';
import type { FencingRequest } from '../../../../shared/ports/outside/fencing.ts';
import { liveRow, nodeKey } from '../../../../shared/ports/store/rows.ts';
import {
  POLICY_ANNOTATION,
  POWERED_OFF_ANNOTATION,
} from '../../../../shared/rules/nodes/out-of-service-proof.ts';
import type { ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';
import { taint, taintText } from '../../../support/objects/domain-objects.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import * as fleet from '../../../support/planes/fleet.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const OUT = 'node.kubernetes.io/out-of-service=nodeshutdown:NoExecute';
const SHUTDOWN = 'node.cloudprovider.kubernetes.io/shutdown:NoSchedule';

type Answer = boolean | Error;

/** A fencing service that gives these answers, and the last one for ever. */
const createFencing = (...answers: readonly Answer[]) => {
  const asked: FencingRequest[] = [];
  const fence = async (request: FencingRequest): Promise<boolean> => {
    asked.push(request);
    const answer = answers[Math.min(asked.length, answers.length) - 1] ?? false;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { asked, fencing: { fence } };
};

/** Three nodes of one zone, of which `n1` has the policy. */
const aPlane = async (policy = 'proven', more: Parameters<typeof createMemoryControlPlane>[0] = {}) => {
  const plane = createMemoryControlPlane(more);
  const names = ['n1', 'n2', 'n3'];
  const alive = new Set(names);
  fleet.keepBeating(plane, alive);
  for (const name of names) await fleet.addNode(plane, name, { ready: 'True', zone: 'a' });
  await annotate(plane, POLICY_ANNOTATION, policy);
  await plane.run(10 * SECOND);
  return { plane, alive };
};

const annotate = (plane: ControlPlane, name: string, value: string): Promise<void> =>
  fleet.changeNode(plane, 'n1', (node) => ({
    ...node,
    metadata: withAnnotation(node.metadata, name, value),
  }));

const n1 = async ({ state }: ControlPlane): Promise<Node | undefined> =>
  liveRow(await state.objects.read(nodeKey('n1')))?.object;

const isOut = async (plane: ControlPlane): Promise<boolean> =>
  ((await n1(plane))?.spec?.taints ?? []).map(taintText).includes(OUT);

const told = async ({ state }: ControlPlane): Promise<readonly string[]> =>
  (await state.objects.page({ resource: 'events', namespace: 'default' })).rows.flatMap(({ object }) => {
    const { reason = '', message } = object as Event;
    return reason.startsWith('OutOfService') && message !== undefined ? [message] : [];
  });

describe('a node that is down', () => {
  it('is out of service once its cloud has shut its machine down (J-84)', async () => {
    const { plane, alive } = await aPlane();
    alive.delete('n1');
    await plane.run(MINUTE);
    expect(await isOut(plane)).toBe(false);
    await fleet.changeNode(plane, 'n1', (node) => ({
      ...node,
      spec: { ...node.spec, taints: [...(node.spec?.taints ?? []), taint(SHUTDOWN)] },
    }));
    await plane.run(5 * SECOND);
    expect(await isOut(plane)).toBe(true);
    expect(await told(plane)).toEqual(['Node n1 is out of service: its cloud has shut the machine down']);
  });

  it('is out of service once an operator says so, and not for a word from before (J-84)', async () => {
    const { plane, alive } = await aPlane();
    await annotate(plane, POWERED_OFF_ANNOTATION, toTime(plane.clock.now()));
    await plane.run(5 * SECOND);
    alive.delete('n1');
    await plane.run(5 * MINUTE);
    expect(await isOut(plane)).toBe(false);
    await annotate(plane, POWERED_OFF_ANNOTATION, toTime(plane.clock.now()));
    await plane.run(5 * SECOND);
    expect(await isOut(plane)).toBe(true);
  });

  it('is left to its operator with the policy "manual" (J-83)', async () => {
    const { asked, fencing } = createFencing(true);
    const { plane, alive } = await aPlane('manual', { fencing });
    alive.delete('n1');
    await plane.run(2 * MINUTE);
    await annotate(plane, POWERED_OFF_ANNOTATION, toTime(plane.clock.now()));
    await plane.run(10 * MINUTE);
    expect(await isOut(plane)).toBe(false);
    expect(asked).toEqual([]);
  });
});

describe('the fencing service', () => {
  it('is asked a minute after the NoExecute taint, until it says that the machine is off (J-85)', async () => {
    const { asked, fencing } = createFencing(new Error('busy'), false, true);
    const { plane, alive } = await aPlane('proven', { fencing });
    alive.delete('n1');
    await plane.run(100 * SECOND);
    expect(asked).toHaveLength(0);
    await plane.run(5 * MINUTE);
    expect(asked).toHaveLength(3);
    expect(new Set(asked.map(({ key }) => key)).size).toBe(1);
    expect(asked[0]).toMatchObject({ node: 'n1', uid: (await n1(plane))?.metadata.uid });
    expect(await isOut(plane)).toBe(true);
  });

  it('is not asked about machines of a fleet that is silent as a whole (J-85)', async () => {
    const { asked, fencing } = createFencing(true);
    const { plane, alive } = await aPlane('proven', { fencing });
    alive.clear();
    await plane.run(30 * MINUTE);
    expect(asked).toEqual([]);
    expect(await isOut(plane)).toBe(false);
  });

  it('is asked about those of many silent nodes that want a proof, each by a message of its own', async () => {
    const { plane, alive } = await aPlane('proven');
    alive.delete('n1');
    await plane.run(3 * MINUTE);
    const sent: unknown[] = [];
    const queues = { send: async (_: string, messages: readonly unknown[]) => void sent.push(...messages) };
    const names = ['n1', 'n2', 'gone'];
    const deps = { ...plane.invoke(), queues };
    await reconcile(deps, { v: 1, kind: 'proofs', names });
    await reconcile(deps, { v: 1, kind: 'proofs', names, isSwept: true });
    const proof = { v: 1, kind: 'proof', name: 'n1' };
    expect(sent).toEqual([{ body: proof }, { body: { ...proof, isSwept: true } }]);
  });

  it('is asked once at a time about an outage, and once for messages that meet (J-85)', async () => {
    const asked: FencingRequest[] = [];
    let running = 0;
    const { plane, alive } = await aPlane('proven', {
      fencing: {
        fence: async (request) => {
          asked.push(request);
          running += 1;
          expect(running).toBe(1);
          await plane.clock.sleep(SECOND);
          running -= 1;
          return asked.length > 1;
        },
      },
    });
    plane.set('cloud-node', false);
    alive.delete('n1');
    await plane.run(3 * MINUTE);
    plane.set('cloud-node', true);
    const body = { v: 1, kind: 'proof', name: 'n1' };
    await plane.queues.send('cloud-node', [{ body }, { body }, { body }]);
    await plane.run(4 * SECOND);
    expect(asked).toHaveLength(1);
    await plane.run(MINUTE);
    expect(await isOut(plane)).toBe(true);
    expect(new Set(asked.map(({ key }) => key)).size).toBe(1);
    expect(plane.failures).toEqual([]);
    const times = asked.length;
    await plane.run(10 * MINUTE);
    expect(asked).toHaveLength(times);
  });

  it('makes a report when it fails', async () => {
    const { fencing } = createFencing(new Error('refused'));
    const { plane, alive } = await aPlane('proven', { fencing });
    alive.delete('n1');
    await plane.run(3 * MINUTE);
    const report = await reconcile(plane.invoke(), { v: 1, kind: 'proof', name: 'n1', isSwept: true });
    expect(report).toMatchObject({ unfenced: 1 });
    expect(telemetry.linesOf(report)[0]?.message).toContain('fencing service');
  });

  it('does not taint a node that came back while it was asked (J-86)', async () => {
    const { plane, alive } = await aPlane('proven', {
      fencing: {
        fence: async () => {
          await fleet.postReady(plane, 'n1', 'True');
          alive.add('n1');
          return true;
        },
      },
    });
    alive.delete('n1');
    await plane.run(5 * MINUTE);
    expect(await isOut(plane)).toBe(false);
  });
});

describe('a node that is back (J-87)', () => {
  it('is in service again when its pods of before are gone', async () => {
    const { fencing } = createFencing(true);
    const { plane, alive } = await aPlane('proven', { fencing });
    await fleet.addPod(plane, 'p', { node: 'n1' });
    await fleet.changePod(plane, 'p', (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, finalizers: ['a.b/c'] },
    }));
    alive.delete('n1');
    await plane.run(5 * MINUTE);
    expect(await isOut(plane)).toBe(true);
    await fleet.postReady(plane, 'n1', 'True');
    alive.add('n1');
    await plane.run(MINUTE);
    expect(await isOut(plane)).toBe(true);
    await fleet.changePod(plane, 'p', () => 'delete');
    await plane.run(15 * SECOND);
    expect(await isOut(plane)).toBe(false);
    expect((await n1(plane))?.metadata.annotations).toEqual({ [POLICY_ANNOTATION]: 'proven' });
    expect(await told(plane)).toContain(
      'Node n1 is ready again and its pods of before are gone: it is in service',
    );
  });

  it('keeps a taint that an operator has set', async () => {
    const { plane, alive } = await aPlane();
    alive.delete('n1');
    await plane.run(MINUTE);
    await fleet.changeNode(plane, 'n1', (node) => ({
      ...node,
      spec: { ...node.spec, taints: [...(node.spec?.taints ?? []), taint(OUT)] },
    }));
    await plane.run(MINUTE);
    await fleet.postReady(plane, 'n1', 'True');
    alive.add('n1');
    await plane.run(10 * MINUTE);
    expect(await isOut(plane)).toBe(true);
  });
});
