import { describe, expect, it } from 'vitest';
import { encodePlainly } from '../../../../shared/apiserver/answer/encode.ts';
import { leaseAnswer } from '../../../../shared/apiserver/leases/leases.ts';
import type { HeartbeatItem } from '../../../../shared/ports/store/heartbeats.ts';
import { createRenewalAnswers } from '../../../../shared/serving/repeats/repeated-beats.ts';
import { aLease, T0 } from '../../../support/stores/builders.ts';

const lease = aLease('n1', 'u1');
const item: HeartbeatItem = {
  namespace: 'kube-node-lease',
  name: 'n1',
  uid: 'u1',
  workRevision: 3,
  observedAt: T0,
  leaseAt: T0,
  version: T0,
  expiresAt: T0 + 9,
  lease,
};

/** What a renewal makes of an item, `seconds` later. */
const renewed = (before: HeartbeatItem, seconds: number): HeartbeatItem => {
  const renewTime = new Date(T0 + seconds * 1_000).toISOString().replace('Z', '000Z');
  const { lease: stored = lease } = before;
  return {
    ...before,
    version: T0 + seconds * 1_000,
    lease: { ...stored, spec: { ...stored.spec, renewTime } },
  };
};

const ordinary = (one: HeartbeatItem) => encodePlainly(leaseAnswer(200, one));

const other = (metadata: object): HeartbeatItem => ({ ...item, lease: { ...lease, metadata } });

describe('an answer to a renewal', () => {
  it.each<[string, readonly HeartbeatItem[]]>([
    ['again and again', [renewed(item, 1), renewed(item, 2), renewed(item, 13)]],
    ['after new work', [renewed(item, 1), renewed({ ...item, workRevision: 4 }, 2), renewed(item, 3)]],
    ['of another Node with the name', [renewed(item, 1), renewed({ ...item, uid: 'u2' }, 2)]],
    [
      'of a Lease that was made anew',
      [renewed(item, 1), renewed({ ...item, lease: { ...lease, uid: 'x' } }, 2)],
    ],
    [
      'of a Lease with another creation',
      [renewed(item, 1), renewed({ ...item, lease: { ...lease, createdAt: T0 - 5_000 } }, 2)],
    ],
    [
      'after a change of its labels',
      [renewed(item, 1), renewed(other({ labels: { a: 'b' } }), 2), renewed(item, 3)],
    ],
    [
      'with other digits in its version',
      [renewed(item, 1), { ...renewed(item, 2), version: 9 }, renewed(item, 3)],
    ],
    [
      'with an annotation that looks like both members',
      [1, 2, 3].map((seconds) =>
        renewed(
          other({
            annotations: { a: `"resourceVersion":"${T0 + 1_000}"`, renewTime: 'x', resourceVersion: 'y' },
          }),
          seconds,
        ),
      ),
    ],
    [
      'with a second member of the same name and value',
      [1, 1, 2].map((seconds) =>
        renewed(other({ annotations: { resourceVersion: String(T0 + 1_000) } }), seconds),
      ),
    ],
  ])('is the ordinary one %s', (_, items) => {
    const answer = createRenewalAnswers();
    for (const one of items) expect(answer(one)).toEqual(ordinary(one));
  });

  it('is made of the pieces of the one before', () => {
    const answer = createRenewalAnswers();
    expect(answer(renewed(item, 1)).headers).toBe(answer(renewed(item, 2)).headers);
  });
});
