import { describe, expect, it } from 'vitest';
import type { Node } from '../../../../../shared/kube/types/core.ts';
import { withDrainConditions } from '../../../../../shared/rules/drain/drain-progress.ts';
import type { DrainRequest } from '../../../../../shared/rules/drain/drain-request.ts';
import { withDrainRequest } from '../../../../../shared/rules/drain/node-drain.ts';
import { explainNodeDrain } from '../../../../../shared/rules/explain/node/node-drain.ts';
import { explainPodDrain } from '../../../../../shared/rules/explain/pod/pod-drain.ts';
import { known, NOW, pod, seconds } from '../facts.ts';

const REQUEST: DrainRequest = { id: 'd1', requestedAt: NOW - seconds(30), by: 'ann', reason: 'new disks' };
const drained = (request: Partial<DrainRequest> = {}): Node =>
  withDrainRequest(known({ ready: 'True' }).node, { ...REQUEST, ...request });
const PROGRESS = { terminating: 0, untried: 0, waiting: [{ pod: 'default/p1', why: 'no' }], refused: [] };
const owned = {
  ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'r', controller: true }],
};

describe('the drain of a node (J-92)', () => {
  it('is not explained where nobody has asked for one', () => {
    expect(explainNodeDrain(known().node, NOW)).toBeUndefined();
    expect(explainPodDrain(pod(), known().node, NOW)).toBeUndefined();
  });

  it('says who has asked, and what holds it', () => {
    const node = withDrainConditions(drained(), 'waiting', PROGRESS, NOW);
    expect(explainNodeDrain(node, NOW)).toMatchObject({
      verdict: 'Draining',
      because: [
        { fact: 'DrainRequested', at: REQUEST.requestedAt, values: { by: 'ann', reason: 'new disks' } },
        {
          fact: 'DrainCondition',
          values: { reason: 'WaitingForBudgets', message: '1 pod is left; default/p1: no' },
        },
      ],
    });
    expect(explainNodeDrain(drained(), NOW)?.verdict).toBe('DrainRequested');
  });

  it.each([
    ['gives up', { deadlineAt: NOW + seconds(60) }, 'DrainGaveUp', NOW + seconds(60)],
    [
      'deletes',
      { deleteAt: NOW + seconds(9), deadlineAt: NOW + seconds(60) },
      'PodsDeleted',
      NOW + seconds(9),
    ],
  ])('says when it %s', (_name, request, verdict, at) => {
    const node = withDrainConditions(drained(request), 'waiting', PROGRESS, NOW);
    expect(explainNodeDrain(node, NOW)?.next).toMatchObject({ verdict, at });
  });

  it('says that a look comes, which begins it, or finds that it is too late', () => {
    const answers = [{}, { deadlineAt: NOW }].map((request) => explainNodeDrain(drained(request), NOW));
    expect(answers.map((one) => one?.next?.verdict)).toEqual(['Draining', 'DrainGaveUp']);
  });

  it('says that nobody understands the request (E-15)', () => {
    const request = { podSelectors: ['a b c'] };
    expect(explainNodeDrain(drained(request), NOW)?.next?.verdict).toBe('DrainInvalid');
    const node = withDrainConditions(drained(request), 'invalid', PROGRESS, NOW);
    expect(explainNodeDrain(node, NOW)?.verdict).toBe('DrainInvalid');
  });

  it('says that its conditions go once it is taken back', () => {
    const node = withDrainConditions(drained(), 'waiting', PROGRESS, NOW);
    const answer = explainNodeDrain({ ...node, spec: {} }, NOW);
    expect([answer?.verdict, answer?.next?.verdict]).toEqual(['DrainTakenBack', 'NoDrain']);
  });

  it.each([
    ['drained', 'Drained'],
    ['gaveUp', 'DrainGaveUp'],
  ] as const)('is over: %s', (state, verdict) => {
    const node = withDrainConditions(drained({ deadlineAt: NOW + seconds(60) }), state, PROGRESS, NOW);
    const answer = explainNodeDrain(node, NOW);
    expect([answer?.verdict, answer?.next]).toEqual([verdict, undefined]);
  });

  it.each([
    ['evicts a pod of a ReplicaSet', pod({ metadata: owned }), {}, 'DrainEvicts', undefined],
    ['deletes it later', pod({ metadata: owned }), { deleteAt: NOW + 1 }, 'DrainEvicts', NOW + 1],
    ['deletes it now', pod({ metadata: owned }), { deleteAt: NOW }, 'DrainDeletes', undefined],
    ['refuses a bare pod', pod(), {}, 'RefusedByDrain', undefined],
    ['leaves others', pod(), { podSelectors: ['app=web'] }, 'LeftByDrain', undefined],
  ])('%s', (_name, given, request, verdict, at) => {
    const answer = explainPodDrain(given, drained(request), NOW);
    expect([answer?.verdict, answer?.next?.at]).toEqual([verdict, at]);
  });

  it('says which option is missing', () => {
    expect(explainPodDrain(pod(), drained(), NOW)?.because[1]?.values?.['why']).toBe(
      'Pods that declare no controller (use force to override)',
    );
  });
});
