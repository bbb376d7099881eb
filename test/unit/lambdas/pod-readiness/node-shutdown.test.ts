import { beforeEach, describe, expect, it } from 'vitest';
import { reconcile } from '../../../../lambdas/pod-readiness/reconcile.ts';
import { sweep } from '../../../../lambdas/taint-eviction/sweep.ts';
import type { Node, Pod } from '../../../../shared/kube/types/core.ts';
import { nodeKey } from '../../../../shared/ports/store/rows.ts';
import { isEndingWithNode } from '../../../../shared/rules/pods/end-mark.ts';
import {
  remembersShutdown,
  type ShutdownReport,
  withShutdownEnded,
  withShutdownReport,
} from '../../../../shared/rules/shutdown/shutdown-report.ts';
import { withNotReady } from '../../../../shared/rules/shutdown/shutting-down-node.ts';
import { aDrainPlane, type DrainPlane } from '../../../support/planes/drain-plane.ts';

let plane: DrainPlane;

beforeEach(async () => {
  plane = await aDrainPlane(['n1', 'n2']);
  await plane.addReplicas('web', 2);
  await plane.pass(10);
});

const report = (more: Partial<ShutdownReport> = {}) =>
  plane.changeNode('n1', (node) =>
    withNotReady(
      withShutdownReport(node, {
        id: 's1',
        phase: 1,
        phases: 2,
        phaseSeconds: 50,
        remainingSeconds: 60,
        totalSeconds: 60,
        ...more,
      }),
      plane.clock.now(),
    ),
  );
const end = () => plane.changeNode('n1', withShutdownEnded);
const ready = () =>
  plane.changeNode('n1', (node) => ({
    ...node,
    status: { ...node.status, conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }] },
  }));
const pods = async (name: string): Promise<readonly Pod[]> =>
  (await plane.pods()).filter(({ spec }) => spec.nodeName === name);
const names = (list: readonly Pod[]): readonly string[] => list.map(({ metadata }) => metadata.name);
const ending = async (): Promise<readonly string[]> => names((await plane.pods()).filter(isEndingWithNode));
const deleted = async (): Promise<readonly string[]> =>
  names((await plane.pods()).filter(({ metadata }) => metadata.deletionTimestamp !== undefined));
const taintsOf = async (): Promise<readonly string[]> =>
  ((await plane.node('n1'))?.spec?.taints ?? []).map(({ key, effect }) => `${key.split('/')[1]}:${effect}`);
/** As an agent does at the end of the phase. */
const endPods = async (): Promise<void> => {
  for (const { metadata } of await pods('n1'))
    await plane.change<Pod>('pods', metadata.name, (pod) => ({
      ...pod,
      status: { ...pod.status, phase: 'Failed', reason: 'Terminated' },
    }));
};

describe('a node that shuts down', () => {
  it('has its pods replaced at once, and each once', async () => {
    const before = names(await pods('n1'));
    expect(before).toHaveLength(1);
    await report();
    await plane.pass(5);
    expect(await ending()).toEqual(before);
    expect([await plane.readyPods('web'), names(await pods('n1')), (await pods('n2')).length]).toEqual([
      3,
      before,
      2,
    ]);
    await report({ phase: 2, phaseSeconds: 10, remainingSeconds: 10 });
    await endPods();
    await plane.pass(30);
    expect([await ending(), (await pods('n2')).length, await deleted()]).toEqual([[], 2, []]);
  });

  it('keeps its pods when it is cancelled, and one too many goes', async () => {
    await report();
    await plane.pass(5);
    await end();
    await ready();
    await plane.pass(20);
    expect([await ending(), await plane.readyPods('web')]).toEqual([[], 2]);
  });

  it('is an ordinary node that is not ready from its deadline on', async () => {
    await report({ remainingSeconds: 20 });
    await plane.pass(15);
    expect(await taintsOf()).toEqual(['not-ready:NoSchedule', 'shutting-down:NoSchedule']);
    await plane.pass(15);
    expect(await taintsOf()).toEqual(['not-ready:NoSchedule', 'not-ready:NoExecute']);
    expect([await ending(), await plane.readyPods('web')]).toEqual([[], 2]);
  });

  it('is tainted with NoExecute only then, also if it is silent, and no token of its zone is spent before', async () => {
    await report({ remainingSeconds: 300, totalSeconds: 300 });
    plane.alive.delete('n1');
    await plane.pass(250);
    expect((await plane.node('n1'))?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'Unknown' }),
    );
    expect(await taintsOf()).toEqual(['shutting-down:NoSchedule', 'unreachable:NoSchedule']);
    await plane.pass(60);
    expect(await taintsOf()).toEqual(['unreachable:NoSchedule', 'unreachable:NoExecute']);
  });

  it('evicts nothing by taints that it has had before, until its deadline', async () => {
    await plane.addReplicas('quick', 2, {
      tolerations: ['not-ready', 'unreachable'].map((key) => ({
        key: `node.kubernetes.io/${key}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 30,
      })),
    });
    await plane.pass(10);
    const [quick] = (await pods('n1')).filter(({ metadata }) => metadata.labels?.['app'] === 'quick');
    await plane.changeNode('n1', (node) => withNotReady(node, plane.clock.now()));
    await plane.pass(15);
    expect(await taintsOf()).toContain('not-ready:NoExecute');
    await report({ remainingSeconds: 60 });
    await plane.pass(50);
    await plane.clock.run(sweep(plane.invoke()));
    expect([await deleted(), names(await pods('n1'))]).toEqual([
      [],
      expect.arrayContaining([quick?.metadata.name]),
    ]);
    await plane.pass(20);
    expect(names(await pods('n1'))).not.toContain(quick?.metadata.name);
  });

  it('is drained of nothing that it ends itself, and of what is left after its deadline (J-139)', async () => {
    await report({ remainingSeconds: 30 });
    const [pod] = names(await pods('n1'));
    await plane.drain('n1', { force: true });
    await plane.pass(25);
    expect([await plane.conditionOf('n1', 'DrainInProgress'), names(await pods('n1'))]).toEqual([
      'True WaitingForTermination',
      [pod],
    ]);
    await plane.pass(60);
    expect([await plane.conditionOf('n1', 'Drained'), await pods('n1')]).toEqual(['True NodeDrained', []]);
  });

  it('counts for a budget as if its pods were gone', async () => {
    await plane.addBudget('web', { minAvailable: 2 });
    await plane.pass(5);
    await report();
    plane.set('scheduler', false);
    await plane.pass(5);
    const budget = await plane.read<{ status?: { currentHealthy?: number } } & Pod>(
      'poddisruptionbudgets',
      'web',
    );
    expect(budget?.status).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0 });
  });

  it('marks a newly bound pod by the Node as it is: if that has changed since it was read, the message is delivered again', async () => {
    const bound = (await pods('n1'))[0];
    plane.set('pod-readiness', false);
    await report();
    const ports = plane.invoke();
    const seen = await ports.objects.read(nodeKey('n1'));
    await report({ phase: 2, phaseSeconds: 10, remainingSeconds: 10 });
    const read: typeof ports.objects.read = async (key) =>
      key.resource === 'nodes' ? seen : ports.objects.read(key);
    const { name, namespace = '', uid = '' } = bound?.metadata ?? { name: '' };
    const message = { v: 1, kind: 'pod', namespace, name, uid } as const;
    const judging = reconcile({ ...ports, objects: { ...ports.objects, read } }, message);
    await expect(plane.clock.run(judging)).rejects.toMatchObject({ reason: 'Conflict' });
    expect(await ending()).toEqual([]);
  });

  it('whose end was told to nobody gives its pods back with the next resync, and is then forgotten', async () => {
    await report();
    await plane.pass(5);
    plane.set('stream', false);
    await end();
    plane.set('pod-readiness', false);
    await plane.pass(70);
    plane.set('stream', true);
    plane.set('pod-readiness', true);
    await ready();
    await plane.pass(5);
    expect(await ending()).toHaveLength(1);
    const uid = (await plane.node('n1'))?.metadata.uid ?? '';
    const message = { v: 1, kind: 'shutdown', name: 'n1', uid, isResync: true } as const;
    expect(await plane.clock.run(reconcile(plane.invoke(), message))).toEqual({ marked: 0, ending: 1 });
    expect(remembersShutdown((await plane.node('n1')) as Node)).toBe(true);
    await plane.clock.run(reconcile(plane.invoke(), message));
    expect([await ending(), remembersShutdown((await plane.node('n1')) as Node)]).toEqual([[], false]);
  });
});
