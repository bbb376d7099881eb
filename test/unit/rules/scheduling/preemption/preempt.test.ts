import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../../shared/kube/types/core.ts';
import type { PersistentVolumeClaim } from '../../../../../shared/kube/types/storage.ts';
import type { Cluster } from '../../../../../shared/rules/scheduling/cluster/cluster.ts';
import { nodeInfo } from '../../../../../shared/rules/scheduling/cluster/cluster.ts';
import type { Misfit } from '../../../../../shared/rules/scheduling/decide-placement.ts';
import { decidePlacement } from '../../../../../shared/rules/scheduling/decide-placement.ts';
import type { Nomination } from '../../../../../shared/rules/scheduling/feasible-nodes.ts';
import { preempt } from '../../../../../shared/rules/scheduling/preemption/preempt.ts';
import { nodeOf, podOf } from '../../../../support/scheduling/recorded-cases.ts';
import { clusterOf } from '../../../../support/scheduling/scheduling-objects.ts';

const IN_USE =
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod';

const claim: PersistentVolumeClaim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    name: 'data',
    namespace: 'default',
    annotations: { 'pv.kubernetes.io/bind-completed': 'yes' },
  },
  spec: { volumeName: 'v', accessModes: ['ReadWriteOncePod'] },
};

const storage: Cluster['storage'] = {
  claims: new Map([['default/data', claim]]),
  volumes: new Map([['v', { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'v' } }]]),
  classes: new Map(),
  csiNodes: new Map(),
};

const claiming = { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] };

const clusterWith = (bound: readonly Pod[]): Cluster => {
  const nodes = ['n1', 'n2'].map((name) =>
    nodeInfo(
      nodeOf({ name }),
      bound.filter(({ spec }) => spec.nodeName === name),
    ),
  );
  return clusterOf(nodes, { storage });
};

const outcomeOf = (pod: Pod, cluster: Cluster, nominations: readonly Nomination[] = []) => {
  const attempt = { cluster, nominations, chance: 0 };
  const misfit = decidePlacement(pod, attempt) as Misfit;
  return preempt(pod, misfit, attempt, [], 0);
};

describe('a claim that only one pod may use (F-09, U-12)', () => {
  const user = (prio: string) => podOf({ name: 'user', on: 'n2', prio, spec: claiming });
  const pod = podOf({ name: 'p', prio: 'gold-100', spec: claiming });

  it('is free again without the victim that uses it, on the node of the victim', () => {
    expect(outcomeOf(pod, clusterWith([user('gold-10')]))).toMatchObject({
      nominatedNodeName: 'n2',
      victims: [{ metadata: { name: 'user' } }],
    });
  });

  it('stays in use when the victim of another node leaves', () => {
    const other = podOf({ name: 'other', on: 'n1', prio: 'gold-10' });
    expect(outcomeOf(pod, clusterWith([user('gold-1000'), other]))).toEqual({
      message: `0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 ${IN_USE}.`,
      clearsNomination: true,
    });
  });

  it('is in use on a node for which a pod that uses it is nominated (M-02)', () => {
    const nominations = [{ pod: podOf({ name: 'o', prio: 'gold-1000', spec: claiming }), nodeName: 'n1' }];
    const decision = decidePlacement(pod, { cluster: clusterWith([]), nominations, chance: 0 });
    expect(decision).toMatchObject({ nodeName: 'n2', feasible: ['n2'] });
  });
});
