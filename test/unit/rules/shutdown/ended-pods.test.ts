import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import { isEndingWithNode, withEndMark } from '../../../../shared/rules/pods/end-mark.ts';
import { isEndedByNode, withEndOfNode } from '../../../../shared/rules/shutdown/ended-pods.ts';
import { taintsThatEvict } from '../../../../shared/rules/shutdown/taints-that-evict.ts';
import { mattersToOwner } from '../../../../shared/rules/workloads/children/pod-relevance.ts';
import { isActive } from '../../../../shared/rules/workloads/children/pod-state.ts';
import { countPods } from '../../../../shared/rules/workloads/job/job-counts.ts';
import { decideReplicas } from '../../../../shared/rules/workloads/replica-set/replica-set.ts';
import { anOwnedPod, aWorkload } from '../../../support/objects/workload-objects.ts';

const NOW = 1_000_000_000;
const shutdown = {
  id: 's1',
  phase: 1,
  phases: 1,
  beganAt: NOW - 1_000,
  phaseEndsAt: NOW + 30_000,
  endsAt: NOW + 30_000,
  latestAt: NOW + 30_000,
};
const owner = aWorkload();
const pod = anOwnedPod({ name: 'a', owner, nodeName: 'n1', readySince: 9 });
const ofDaemons: Pod = {
  ...pod,
  metadata: {
    ...pod.metadata,
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'd', controller: true }],
  },
};
const mirror: Pod = {
  ...pod,
  metadata: { ...pod.metadata, annotations: { 'kubernetes.io/config.mirror': 'x' } },
};
const ownedBy = ({ apiVersion, kind, metadata: { name, uid = '' } }: ReturnType<typeof aWorkload>) => ({
  ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
});
const marked = withEndMark(pod, NOW);
const failed: Pod = { ...marked, status: { ...marked.status, phase: 'Failed' } };

describe('a pod of a node that shuts down (J-136)', () => {
  it.each([
    ['ends with it', pod, NOW, true],
    ['does not from the deadline on', pod, NOW + 30_000, false],
    ['of a DaemonSet belongs to the node', ofDaemons, NOW, false],
    ['that is static belongs to the node', mirror, NOW, false],
    ['that has ended does not', failed, NOW, false],
    [
      'that is being deleted ends anyway',
      anOwnedPod({ name: 'a', nodeName: 'n1', deletedAt: NOW }),
      NOW,
      false,
    ],
  ])('%s', (_, given, at, expected) => {
    expect(isEndedByNode({ shutdown }, given, at)).toBe(expected);
    expect(isEndingWithNode(withEndOfNode(given, { shutdown }, at))).toBe(expected);
  });

  it('is marked once, and no longer when the shutdown is over', () => {
    expect(withEndOfNode(marked, { shutdown }, NOW + 9_000)).toBe(marked);
    expect(withEndOfNode(marked, {}, NOW).status?.conditions).toEqual(pod.status?.conditions);
    expect(withEndOfNode(pod, {}, NOW)).toBe(pod);
  });

  it('keeps what it says of its end', () => {
    const evicted: Pod = {
      ...pod,
      status: { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }] },
    };
    expect(withEndOfNode(evicted, { shutdown }, NOW)).toBe(evicted);
    expect(withEndOfNode(evicted, {}, NOW)).toBe(evicted);
    expect(withEndOfNode(failed, {}, NOW)).toBe(failed);
  });
});

describe('the owner of a pod that ends with its node (J-137)', () => {
  it('counts it as leaving, and hears of it', () => {
    expect([isActive(pod), isActive(marked)]).toEqual([true, false]);
    expect(mattersToOwner(pod, marked)).toBe(true);
    expect(mattersToOwner(marked, pod)).toBe(true);
  });

  it('replaces it at once, once, and takes one away if it stays', () => {
    const one = aWorkload({ spec: { replicas: 1 } });
    const second = anOwnedPod({ name: 'b', owner: one, nodeName: 'n2' });
    const decide = (...pods: readonly Pod[]) => {
      const { create, delete: surplus } = decideReplicas({ owner: one, pods }, NOW);
      return [create, surplus.length];
    };
    const own = (given: Pod): Pod => ({ ...given, metadata: { ...given.metadata, ...ownedBy(one) } });
    expect(decide(own(marked))).toEqual([1, 0]);
    expect(decide(own(marked), second)).toEqual([0, 0]);
    expect(decide(own(failed), second)).toEqual([0, 0]);
    expect(decide(own(pod), second)).toEqual([0, 1]);
  });

  it('that is a Job counts it as terminating until it has ended', () => {
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' }, spec: {} } as const;
    const counts = (given: Pod) => {
      const { active, terminating } = countPods(job, [given]);
      return [active.length, terminating];
    };
    expect([counts(pod), counts(marked), counts(failed)]).toEqual([
      [1, 0],
      [0, 1],
      [0, 0],
    ]);
  });
});

describe('the taints that evict pods of a node that shuts down (J-138)', () => {
  const taints = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable', 'mine'];
  const facts = { shutdown, noExecute: taints.map((key) => ({ key, since: 1 })) };
  it.each([
    ['are those of others', NOW, ['mine']],
    ['are all from the deadline on', NOW + 30_000, taints],
    ['are all if the clock was set back', NOW - 3_600_000, taints],
  ])('%s', (_, at, expected) => {
    expect(taintsThatEvict(facts, at).noExecute.map(({ key }) => key)).toEqual(expected);
  });
});
