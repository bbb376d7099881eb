import { describe, expect, it } from 'vitest';
import type { Node, Pod } from '../../../../shared/kube/types/core.ts';
import { unheld } from '../../../../shared/rules/destroyed.ts';
import { endedWithNode, isOfFormerNode, judgeFormer } from '../../../../shared/rules/pods/former-node.ts';

const MADE = Date.parse('2027-01-05T10:00:00Z');

const nodeIn = (bootID: string | undefined, uid = 'b'): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1', uid },
  ...(bootID === undefined ? {} : { status: { nodeInfo: { bootID } } }),
});

describe('a Node that was made again (K-110)', () => {
  it.each<[string, string, Node, number, ReturnType<typeof judgeFormer>]>([
    ['is the same machine in the same boot', 'x', nodeIn('x'), 0, 'keep'],
    ['has booted, or is another machine', 'x', nodeIn('y'), 0, 'end'],
    ['has not said its boot yet', 'x', nodeIn(undefined), 39_999, 'wait'],
    ['has an empty boot id', 'x', nodeIn(''), 0, 'wait'],
    ['does not say its boot', 'x', nodeIn(undefined), 40_000, 'end'],
    ['the former one has never said its boot', '', nodeIn('y'), 0, 'end'],
    ['neither of them has', '', nodeIn(undefined), 0, 'keep'],
    ['neither of them has in plain characters', '', nodeIn('a b'), 0, 'keep'],
    ['it is the Node itself', 'x', nodeIn('y', 'a'), 0, 'keep'],
  ])('%s', (_case, bootId, node, ageMs, verdict) => {
    expect(judgeFormer({ uid: 'a', bootId }, node, MADE, MADE + ageMs)).toBe(verdict);
  });
});

const aPod = (metadata: object = {}, phase: 'Pending' | 'Running' | 'Succeeded' = 'Running'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default', uid: 'p', ...metadata },
  spec: { nodeName: 'n1', containers: [], terminationGracePeriodSeconds: 30 },
  status: { phase },
});

describe('a pod of the former Node (K-111)', () => {
  it.each<[string, Pod, number | undefined, boolean]>([
    ['was bound before the Node was made', aPod(), MADE - 1, true],
    ['waits for its start', aPod({}, 'Pending'), MADE - 1, true],
    ['was bound to the Node of today', aPod(), MADE, false],
    ['is not bound', aPod(), undefined, false],
    ['goes already', aPod({ deletionTimestamp: '2027-01-05T10:00:00Z' }), MADE - 1, false],
    ['has ended', aPod({}, 'Succeeded'), MADE - 1, false],
    ['is a static pod', aPod({ annotations: { 'kubernetes.io/config.mirror': 'x' } }), MADE - 1, false],
  ])('%s', (_case, pod, boundAt, isOf) => {
    expect(isOfFormerNode(pod, boundAt, MADE)).toBe(isOf);
  });

  it('is deleted with its grace period, and says why', () => {
    expect(unheld(endedWithNode(aPod(), MADE))).toMatchObject({
      next: {
        metadata: { deletionGracePeriodSeconds: 30 },
        status: { conditions: [{ type: 'DisruptionTarget', reason: 'DeletionByPodGC' }] },
      },
    });
  });
});
