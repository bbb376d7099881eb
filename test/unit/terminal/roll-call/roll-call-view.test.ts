import { describe, expect, it } from 'vitest';
import type { Taint } from '../../../../shared/kube/types/core.ts';
import { nextSteps } from '../../../../shared/rules/roll-call/next-steps.ts';
import { readRollCall } from '../../../../terminal/roll-call/roll-call-view.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import * as fleet from '../../../support/planes/fleet.ts';

const NO_EXECUTE: Taint = {
  key: 'node.kubernetes.io/unreachable',
  effect: 'NoExecute',
  timeAdded: '2026-03-01T12:00:00Z',
};

/** A tainted node with a pod that tolerates it for 15 s, whose deadline is stored. */
const setUp = async () => {
  const plane = createMemoryControlPlane();
  const { state, clock } = plane;
  await fleet.addNode(plane, 'n1', { zone: 'rackA', ready: 'Unknown', taints: [NO_EXECUTE] });
  const uid = await fleet.addPod(plane, 'web-1', { node: 'n1', tolerations: fleet.staying(15) });
  const deadline = { uid, start: clock.now(), fireAt: clock.now() + 15_000 };
  const stored = { ...deadline, namespace: 'default', name: 'web-1', nodeName: 'n1' };
  await state.control.storeDeadlines([{ deadline: stored, expiresAt: clock.now() + 60_000 }]);
  return { plane, read: () => readRollCall({ ...state, config: plane.config }, clock.now(), 0) };
};

describe('the roll call that is read', () => {
  it('has the pod that will leave, when and why', async () => {
    const { plane, read } = await setUp();
    const { nodes } = await read();
    expect(nodes[0]).toMatchObject({
      zone: 'rackA',
      evictions: [
        {
          name: 'web-1',
          fireAt: plane.clock.now() + 15_000,
          reason: expect.stringContaining('tolerates unreachable for 15s'),
        },
      ],
    });
  });

  it('leaves out a deadline of a pod whose node came back', async () => {
    const { plane, read } = await setUp();
    await fleet.changeNode(plane, 'n1', (node) => ({ ...node, spec: { taints: [] } }));
    expect((await read()).nodes[0]?.evictions).toEqual([]);
  });

  it('leaves out a deadline of an earlier pod of the same name', async () => {
    const { plane, read } = await setUp();
    await fleet.changePod(plane, 'web-1', (pod) => ({ ...pod, metadata: { ...pod.metadata, uid: 'other' } }));
    expect((await read()).nodes[0]?.evictions).toEqual([]);
  });

  it('forecasts no Unknown of its own for a silent node whose zone paces that (J-269)', async () => {
    const plane = createMemoryControlPlane();
    const { state, clock, config } = plane;
    for (const name of ['paced', 'free']) {
      await fleet.addNode(plane, name, { zone: name, ready: 'True' });
      await fleet.beat(plane, name);
    }
    await fleet.setPolicy(plane, 'paced', { zones: ['paced'], pacedNotReadyRate: 0.1 });
    await plane.run(config.nodeMonitorGracePeriodMs / 2);
    const view = await readRollCall({ ...state, config }, clock.now(), 0);
    expect(nextSteps(view, config).map(({ kind, node }) => [kind, node])).toEqual([['unknown', 'free']]);
  });
});
