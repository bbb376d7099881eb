// Each destructive path of each controller, with a Hold and after it.
import { describe, expect, it } from 'vitest';
import { reconcile as hears } from '../../../../lambdas/cloud-node/reconcile.ts';
import { TAINT_UNREACHABLE } from '../../../../shared/kube/types/well-known.ts';
import { withAnnotation } from '../../../../shared/kube/values/with-annotation.ts';
import { nodeKey } from '../../../../shared/ports/store/rows.ts';
import {
  FENCING_ANNOTATION,
  POLICY_ANNOTATION,
  POWERED_OFF_ANNOTATION,
} from '../../../../shared/rules/nodes/out-of-service-proof.ts';
import type { ControlPlane, ControlPlaneOptions } from '../../../../simulation/plane/control-plane-types.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import { aDrainPlane } from '../../../support/planes/drain-plane.ts';
import { createFakeCloud } from '../../../support/planes/fake-cloud.ts';
import * as fleet from '../../../support/planes/fleet.ts';
import { hold, readHold, resume } from '../../../support/planes/hold.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const OUT = 'out-of-service:NoExecute';

/** Nodes of zone a that beat; `alive.delete` silences one. */
const aPlane = async (
  names: readonly string[] = ['n1', 'n2', 'n3', 'n4'],
  options: ControlPlaneOptions = {},
) => {
  const plane = createMemoryControlPlane(options);
  const alive = new Set(names);
  fleet.keepBeating(plane, alive);
  for (const name of names) await fleet.addNode(plane, name, { ready: 'True', zone: 'a' });
  await plane.run(10 * SECOND);
  return { plane, alive };
};

const isEvicted = async (plane: ControlPlane, pod: string): Promise<boolean> => {
  const found = await fleet.readPod(plane, pod);
  return found === undefined || found.metadata.deletionTimestamp !== undefined;
};

const isTainted = async (plane: ControlPlane, node: string): Promise<boolean> =>
  (await fleet.taintsOf(plane, node)).includes('unreachable:NoExecute');

describe('NoExecute taints (V-101, V-112)', () => {
  it('come to no node while a Hold is in force; detection goes on', async () => {
    const { plane, alive } = await aPlane();
    await hold(plane);
    alive.delete('n1');
    alive.delete('n2');
    await plane.run(20 * MINUTE);
    expect(await fleet.readyOf(plane, 'n1')).toBe('Unknown');
    expect(await fleet.taintsOf(plane, 'n1')).toEqual(['unreachable:NoSchedule']);
    expect(plane.failures).toEqual([]);
    const from = plane.clock.now();
    await resume(plane);
    await plane.run(10 * MINUTE);
    const at = fleet.taintInstants(plane).filter(({ at: instant }) => instant >= from);
    expect(at.map(({ node }) => node).toSorted()).toEqual(['n1', 'n2']);
    // The limiter counts as drained when the Hold ends, and holds its rate after that.
    expect((at[0]?.at ?? 0) - from).toBeGreaterThanOrEqual(10 * SECOND);
    expect((at[1]?.at ?? 0) - (at[0]?.at ?? 0)).toBeGreaterThanOrEqual(10 * SECOND);
  });

  it('come to the nodes of other zones, and to those that the selector does not select', async () => {
    const { plane, alive } = await aPlane();
    await fleet.addNode(plane, 'b1', { ready: 'True', zone: 'b' });
    await fleet.addNode(plane, 'b2', { ready: 'True', zone: 'b', labels: { pool: 'gpu' } });
    for (let n = 3; n < 9; n += 1) {
      await fleet.addNode(plane, `b${n}`, { ready: 'True', zone: 'b' });
      alive.add(`b${n}`);
    }
    await hold(plane, { zones: ['a'] });
    await hold(plane, { nodeSelector: { matchLabels: { pool: 'gpu' } } }, 'gpus');
    alive.delete('n1');
    await plane.run(10 * MINUTE);
    expect(await isTainted(plane, 'n1')).toBe(false);
    expect(await isTainted(plane, 'b2')).toBe(false);
    expect(await isTainted(plane, 'b1')).toBe(true);
  });
});

describe('tolerations (V-101, V-110)', () => {
  it('run out only by the time outside of the Hold, and nothing that is stored moves', async () => {
    const { plane, alive } = await aPlane();
    await fleet.addPod(plane, 'p', { node: 'n1', tolerations: fleet.staying(300) });
    alive.delete('n1');
    await plane.run(2 * MINUTE);
    expect(await isTainted(plane, 'n1')).toBe(true);
    const before = await fleet.deadlineOf(plane, 'p');
    const heldAt = plane.clock.now();
    await hold(plane, { stops: ['Tolerations'] });
    await plane.run(60 * MINUTE);
    expect(await isEvicted(plane, 'p')).toBe(false);
    expect(await fleet.deadlineOf(plane, 'p')).toEqual(before);
    const resumedAt = plane.clock.now();
    await resume(plane);
    const due = (before?.fireAt ?? 0) + (resumedAt - heldAt);
    await plane.run(due - plane.clock.now() - 5 * SECOND);
    expect(await isEvicted(plane, 'p')).toBe(false);
    await plane.run(10 * SECOND);
    expect(await isEvicted(plane, 'p')).toBe(true);
    expect(plane.failures).toEqual([]);
  });

  it('of pods that tolerate nothing end after the Hold', async () => {
    const { plane } = await aPlane();
    await fleet.addPod(plane, 'p', { node: 'n1', tolerations: [] });
    await hold(plane);
    const taints = [{ key: 'k', effect: 'NoExecute' }] as const;
    await fleet.changeNode(plane, 'n1', (node) => ({ ...node, spec: { ...node.spec, taints } }));
    await plane.run(10 * MINUTE);
    expect(await isEvicted(plane, 'p')).toBe(false);
    await resume(plane);
    await plane.run(2 * MINUTE);
    expect(await isEvicted(plane, 'p')).toBe(true);
  });
});

describe('drains (V-101, V-111)', () => {
  it('evict nothing, say by which Hold they are held, and go on after it', async () => {
    const plane = await aDrainPlane(['n1', 'n2', 'n3']);
    await plane.addReplicas('web', 6);
    await plane.pass(5);
    await hold(plane);
    const before = await plane.podsOn('n1');
    expect(before.length).toBeGreaterThan(0);
    await plane.drain('n1');
    await plane.pass(20);
    expect(await plane.podsOn('n1')).toEqual(before);
    expect(await plane.conditionOf('n1', 'DrainInProgress')).toBe('True Held');
    expect(await plane.messageOf('n1')).toContain('held by Hold incident (alice): switch upgrade');
    expect((await plane.node('n1'))?.spec?.unschedulable).toBe(true);
    await resume(plane);
    await plane.pass(40);
    expect(await plane.conditionOf('n1', 'Drained')).toBe('True NodeDrained');
    expect(plane.failures).toEqual([]);
  });
});

describe('fencing, and what follows from it (V-101)', () => {
  const proven = (plane: ControlPlane, name: string, value: string) =>
    fleet.changeNode(plane, 'n1', (node) => ({
      ...node,
      metadata: withAnnotation(node.metadata, name, value),
    }));
  const down = async (options: ControlPlaneOptions) => {
    const { plane, alive } = await aPlane(undefined, options);
    await proven(plane, POLICY_ANNOTATION, 'proven');
    alive.delete('n1');
    return plane;
  };

  it('asks no service while a Hold is in force, and commits its intent before each call', async () => {
    const asked: string[] = [];
    const fence = async ({ node }: { readonly node: string }): Promise<boolean> => {
      asked.push(node);
      return true;
    };
    const plane = await down({ fencing: { fence } });
    await plane.run(90 * SECOND);
    await hold(plane, { stops: ['Fencing'] });
    const before = asked.length;
    await plane.run(30 * MINUTE);
    expect(asked.slice(before)).toEqual([]);
    expect(await fleet.taintsOf(plane, 'n1')).not.toContain(OUT);
    await resume(plane);
    await plane.run(20 * MINUTE);
    expect(asked.length).toBeGreaterThan(before);
    expect(await fleet.taintsOf(plane, 'n1')).toContain(OUT);
    expect((await fleet.readNode(plane, 'n1')).metadata.annotations?.[FENCING_ANNOTATION]).toContain('"key"');
  });

  it('sets no taint out-of-service by the word of an operator, until it has ended', async () => {
    const plane = await down({});
    await plane.run(90 * SECOND);
    await hold(plane, { stops: ['Fencing'] });
    await proven(plane, POWERED_OFF_ANNOTATION, new Date(plane.clock.now()).toISOString());
    await plane.run(10 * MINUTE);
    expect(await fleet.taintsOf(plane, 'n1')).not.toContain(OUT);
    await resume(plane);
    await plane.run(20 * MINUTE);
    expect(await fleet.taintsOf(plane, 'n1')).toContain(OUT);
  });

  it('deletes by force no pod of a node that is out of service', async () => {
    const { plane } = await aPlane();
    await fleet.addPod(plane, 'p', { node: 'n1', tolerations: [] });
    await hold(plane, { stops: ['Fencing'] });
    const out = {
      key: 'node.kubernetes.io/out-of-service',
      value: 'nodeshutdown',
      effect: 'NoExecute',
    } as const;
    await fleet.silence(plane, 'n1');
    await fleet.changeNode(plane, 'n1', (node) => ({ ...node, spec: { ...node.spec, taints: [out] } }));
    await plane.run(12 * MINUTE);
    // Its deletion is no matter of fencing; that no node has confirmed it is.
    expect((await fleet.readPod(plane, 'p'))?.metadata.deletionTimestamp).toBeDefined();
    await resume(plane);
    await plane.run(10 * MINUTE);
    expect(await fleet.readPod(plane, 'p')).toBeUndefined();
  });
});

describe('Nodes whose machines are gone, and pods whose Nodes are gone (V-101)', () => {
  it('keeps the Node of a terminated machine', async () => {
    const cloud = createFakeCloud();
    const { plane, alive } = await aPlane(undefined, { cloud });
    await fleet.changeNode(plane, 'n1', (node) => ({
      ...node,
      spec: { ...node.spec, providerID: 'aws:///eu-west-1a/i-1' },
    }));
    await hold(plane, { stops: ['NodeDeletion'] });
    cloud.set('aws:///eu-west-1a/i-1', 'terminated');
    alive.delete('n1');
    await hears(plane.invoke(), { v: 1, kind: 'nodes', names: ['n1'] });
    await plane.run(10 * MINUTE);
    expect((await plane.state.objects.read(nodeKey('n1')))?.state).toBe('live');
    await resume(plane);
    await plane.run(20 * MINUTE);
    expect((await plane.state.objects.read(nodeKey('n1')))?.state).toBe('marker');
  });

  it('keeps the pods of a Node that is gone, whatever the scope of the Hold', async () => {
    const { plane, alive } = await aPlane();
    await fleet.addPod(plane, 'p', { node: 'n1' });
    await hold(plane, { zones: ['b'] });
    alive.delete('n1');
    await fleet.removeNode(plane, 'n1');
    await plane.run(20 * MINUTE);
    expect(await fleet.readPod(plane, 'p')).toBeDefined();
    await resume(plane);
    await plane.run(15 * MINUTE);
    expect(await fleet.readPod(plane, 'p')).toBeUndefined();
    expect(plane.failures).toEqual([]);
  });
});

describe('a Hold', () => {
  it('says that it is in force, for how many nodes, and tells of its begin and its end (V-105)', async () => {
    const { plane } = await aPlane();
    await hold(plane, { zones: ['a'] });
    expect(await readHold(plane)).toMatchObject({
      status: { by: 'alice', epoch: 1, heldNodes: 4, conditions: [{ type: 'InForce', status: 'True' }] },
    });
    await resume(plane);
    await plane.run(10 * SECOND);
    expect(fleet.eventsOf(plane)).toEqual(
      expect.arrayContaining([
        'HoldInForce: Hold incident of alice is in force: switch upgrade',
        'HoldEnded: Hold incident has ended',
      ]),
    );
  });

  it('ends by itself at its `until` (V-104)', async () => {
    const { plane, alive } = await aPlane();
    await hold(plane, { until: new Date(plane.clock.now() + 10 * MINUTE).toISOString() });
    alive.delete('n1');
    await plane.run(9 * MINUTE);
    expect(await isTainted(plane, 'n1')).toBe(false);
    await plane.run(10 * MINUTE);
    expect(await isTainted(plane, 'n1')).toBe(true);
    expect((await readHold(plane))?.status?.conditions?.[0]).toMatchObject({
      status: 'False',
      reason: 'Expired',
    });
    expect(await plane.state.control.holdBook()).toMatchObject({ active: [], past: [{ name: 'incident' }] });
  });

  it('stops nothing that it does not name, such as a taint that a client sets', async () => {
    const { plane } = await aPlane();
    await hold(plane);
    const taints = [{ key: TAINT_UNREACHABLE, effect: 'NoExecute' }] as const;
    await fleet.changeNode(plane, 'n1', (node) => ({ ...node, spec: { ...node.spec, taints } }));
    expect(await fleet.taintsOf(plane, 'n1')).toEqual(['unreachable:NoExecute']);
  });
});
