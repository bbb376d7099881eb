// Which attempts look at all nodes, and which share the ranking of the pod before them.
import { describe, expect, it } from 'vitest';
import { createPicture } from '../../../../lambdas/scheduler/picture/picture.ts';
import { slimPod } from '../../../../lambdas/scheduler/picture/slim.ts';
import { createWaitingPods } from '../../../../lambdas/scheduler/picture/waiting-pods.ts';
import { createAttempts } from '../../../../lambdas/scheduler/place/attempt.ts';
import type { SchedulerState } from '../../../../lambdas/scheduler/scheduler-state.ts';
import type { Node, Pod } from '../../../../shared/kube/types/core.ts';
import { placedPod, zoned } from '../../../support/scheduling/scheduling-objects.ts';

const aNode = (name: string, cpu = '4'): Node => ({
  ...zoned(name),
  kind: 'Node',
  status: { allocatable: { cpu, memory: '8Gi', pods: '110' } },
});

const aPod = (name: string, spec: object = {}, status: object = {}): Pod => {
  const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }];
  const pod = placedPod({ name, spec: { containers, ...spec }, status });
  return { ...pod, kind: 'Pod', metadata: { ...pod.metadata, uid: name } };
};

const CLAIM = { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] };

/** Three nodes. `place`: tries a pod and assumes it; whether the attempt has looked at nodes. */
const setUp = (cpu?: string) => {
  const picture = createPicture();
  const waiting = createWaitingPods();
  for (const name of ['a', 'b', 'c']) picture.apply({ after: aNode(name, cpu) });
  const state = { picture, waiting, startAt: 0 } as unknown as SchedulerState;
  const attempts = createAttempts(state, { random: () => 0 });
  const looksFor = (pod: Pod): boolean | 'refused' => {
    const tried = attempts.try(pod);
    if (tried.result === 'refused') return 'refused';
    picture.assume({ ...pod, spec: { ...pod.spec, nodeName: tried.nodeName } });
    return tried.judged > 0;
  };
  return { picture, waiting, looksFor };
};

describe('pods that are alike (N-11)', () => {
  it('look at the nodes once for as many as nodes were found', () => {
    const { looksFor } = setUp();
    const looks = Array.from({ length: 7 }, (_, n) => looksFor(aPod(`p${n}`)));
    expect(looks).toEqual([true, false, false, true, false, false, true]);
  });

  it('fill the nodes, and the next one is refused', () => {
    const { looksFor } = setUp('2');
    const looks = Array.from({ length: 7 }, (_, n) => looksFor(aPod(`p${n}`)));
    expect(looks.slice(0, 6)).not.toContain('refused');
    expect(looks[6]).toBe('refused');
  });

  it.each<[string, (world: ReturnType<typeof setUp>) => void]>([
    ['another pod', ({ looksFor }) => void looksFor(aPod('other', { priority: 3 }))],
    ['a node', ({ picture }) => picture.apply({ after: aNode('d') })],
    ['a pod that is not bound after all', ({ picture }) => picture.forget(aPod('p0', { nodeName: 'a' }))],
    ['a pod of somebody else', ({ picture }) => picture.apply({ after: aPod('x', { nodeName: 'b' }) })],
    [
      'a nomination',
      ({ waiting }) => waiting.put(aPod('nominee', {}, { nominatedNodeName: 'b', phase: 'Pending' })),
    ],
  ])('look again after %s', (_, happens) => {
    const world = setUp();
    expect(world.looksFor(aPod('p0'))).toBe(true);
    happens(world);
    expect(world.looksFor(aPod('p1'))).toBe(true);
  });

  it('have volumes of their own for their tokens', () => {
    const { looksFor } = setUp();
    const looks = ['p0', 'p1'].map((name) => {
      const volumes = [{ name: `kube-api-access-${name}`, projected: { sources: [] } }];
      return looksFor(slimPod(aPod(name, { volumes })));
    });
    expect(looks).toEqual([true, false]);
  });

  it('look each if they have a claim', () => {
    const { looksFor } = setUp();
    const looks = ['p0', 'p1'].map((name) => looksFor(slimPod(aPod(name, CLAIM))));
    expect(looks).not.toContain(false);
  });
});
