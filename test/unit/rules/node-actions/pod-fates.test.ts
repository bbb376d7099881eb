import { describe, expect, it } from 'vitest';
import { fatesByDrain } from '../../../../shared/rules/node-actions/fates-by-drain.ts';
import type { Fate } from '../../../../shared/rules/node-actions/pod-fate.ts';
import { fatesByTaints } from '../../../../shared/rules/node-actions/what-follows.ts';
import { withShutdownReport } from '../../../../shared/rules/shutdown/shutdown-report.ts';
import { A_SHUTDOWN } from '../../../support/objects/a-roll-call.ts';
import { ready, taint } from '../../../support/objects/domain-objects.ts';
import { budget, known, node, type PodShape, pod, request, T } from './world.ts';

const MIRROR = { annotations: { 'kubernetes.io/config.mirror': 'x' } };
const GOING = { deletionTimestamp: '2026-02-03T04:06:06Z' };

describe('the fate of a pod by a drain (J-334)', () => {
  const rows: readonly [string, PodShape, Fate, RegExp][] = [
    ['one that a controller makes again', { owner: 'ReplicaSet' }, 'goes', /^it has 30 s to stop$/],
    ['one of a StatefulSet', { owner: 'StatefulSet' }, 'goes', /successor waits until it is gone for sure$/],
    ['one of a DaemonSet', { owner: 'DaemonSet' }, 'stays', /^it belongs to a DaemonSet$/],
    ['a static one', { metadata: MIRROR }, 'stays', /^it is a static pod of the machine$/],
    ['one that goes already', { owner: 'ReplicaSet', metadata: GOING }, 'ending', /^it is being deleted$/],
    ['a bare one', {}, 'held', /declare no controller \(use force to override\)$/],
    ['one that has ended', { status: { phase: 'Succeeded' } }, 'goes', /^$/],
  ];

  it.each(rows)('%s', (_, shape, fate, why) => {
    const [only] = fatesByDrain(known(node(), [pod('web-1', shape)]), request(), T);
    expect(only).toMatchObject({
      namespace: 'default',
      name: 'web-1',
      fate,
      why: expect.stringMatching(why),
    });
  });

  it('goes by force, for good', () => {
    const [only] = fatesByDrain(known(node(), [pod('web-1')]), request({ force: true }), T);
    expect(only).toMatchObject({ fate: 'goes', why: 'it has 30 s to stop; no controller makes it again' });
  });

  const three = ['web-1', 'web-2', 'web-3'].map((name) => pod(name, { owner: 'ReplicaSet' }));
  const fates = (allowed: number) =>
    fatesByDrain(known(node(), three, [budget('web', allowed)]), request(), T);

  it.each([
    [0, 'held', 'The disruption budget web needs 3 healthy pods and has 3 currently'],
    [2, 'inTurn', 'budget web lets 2 of 3 pods go now, the others when it allows more; it has 30 s to stop'],
    [3, 'goes', 'budget web allows it; it has 30 s to stop'],
  ] as const)('is that of its budget, which allows %i of three', (allowed, fate, why) => {
    for (const one of fates(allowed)) expect(one).toMatchObject({ fate, why: expect.stringContaining(why) });
  });

  it('is held by two budgets', () => {
    const two = [budget('web', 3), { ...budget('web', 3), metadata: { name: 'b', namespace: 'default' } }];
    const [only] = fatesByDrain(known(node(), three.slice(0, 1), two), request(), T);
    expect(only).toMatchObject({ fate: 'held', why: expect.stringContaining('several budgets cover it') });
  });

  it('asks no budget from the instant on at which the request deletes', () => {
    const [only] = fatesByDrain(
      known(node(), three.slice(0, 1), [budget('web', 0)]),
      request({ deleteAt: T }),
      T,
    );
    expect(only?.fate).toBe('goes');
  });

  it('is left to a node that shuts down', () => {
    const off = withShutdownReport(node({ conditions: [ready('True', T)] }), A_SHUTDOWN);
    const [only] = fatesByDrain(known(off, three.slice(0, 1)), request(), T);
    expect(only?.fate).toBe('ending');
  });
});

describe('the fate of a pod by taints (J-335)', () => {
  const tolerating = (tolerationSeconds?: number): PodShape => ({
    owner: 'ReplicaSet',
    spec: {
      tolerations: [
        { key: 'a', operator: 'Exists', ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }) },
      ],
    },
  });
  const fate = (shape: PodShape, key = 'a:NoExecute', status: 'True' | 'Unknown' = 'True') =>
    fatesByTaints(
      node({ taints: [taint(key)], conditions: [ready(status, T)] }),
      [pod('web-1', shape)],
      T,
    )[0];
  const OUT = 'node.kubernetes.io/out-of-service=nodeshutdown:NoExecute';

  it.each([
    ['does not tolerate it', { owner: 'ReplicaSet' }, { fate: 'goes', why: 'does not tolerate a' }],
    [
      'tolerates it for a time',
      tolerating(60),
      { fate: 'later', at: T + 60_000, why: 'tolerates a for 60s' },
    ],
    ['tolerates it', tolerating(), { fate: 'stays', why: 'tolerates a' }],
    ['is a bare one', {}, { fate: 'goes', why: 'does not tolerate a; no controller makes it again' }],
    ['goes already', { metadata: GOING }, { fate: 'ending' }],
  ] as const)('that %s', (_, shape, wanted) => {
    expect(fate(shape)).toMatchObject(wanted);
  });

  it('that has ended is not told', () => {
    expect(fate({ status: { phase: 'Failed' } })).toBeUndefined();
  });

  it('is not waited for on a node out of service, unless finalizers hold it (K-74, K-80)', () => {
    expect(fate({ metadata: GOING }, OUT, 'Unknown')).toMatchObject({ fate: 'goes' });
    expect(fate({ metadata: GOING }, OUT, 'True')).toMatchObject({ fate: 'ending' });
    const held = { metadata: { ...GOING, finalizers: ['example.com/keep'] } };
    expect(fate(held, OUT, 'Unknown')).toMatchObject({
      fate: 'held',
      why: 'its finalizers hold it: example.com/keep',
    });
    expect(fate({ owner: 'StatefulSet' }, OUT, 'Unknown')).toMatchObject({
      fate: 'goes',
      why: expect.stringContaining('its successor is made at once'),
    });
  });
});
