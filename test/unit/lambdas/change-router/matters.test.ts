import { describe, expect, it } from 'vitest';
import type { Change } from '../../../../lambdas/change-router/change.ts';
import { routeChanges } from '../../../../lambdas/change-router/route-changes.ts';
import type { RoutingFacts } from '../../../../lambdas/contract/controller.ts';
import type { LiveRow } from '../../../../shared/ports/store/rows.ts';
import { nodeFacts } from '../../../../shared/store/commit/node-facts.ts';
import { podFacts } from '../../../../shared/store/commit/pod-facts.ts';
import { aNode, aPod, ready } from '../../../support/objects/domain-objects.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';

const NOW = 1_700_000_000_000;
const node = aNode({ conditions: [ready('True', NOW)] });
const unlabelled = aPod({ nodeName: '' });
const pod = { ...unlabelled, metadata: { ...unlabelled.metadata, labels: { app: 'web' } } };

const aRow = (resource: string, object: LiveRow['object'], facts: LiveRow['facts'] = {}): LiveRow => ({
  state: 'live',
  key: { resource, namespace: resource === 'nodes' ? '' : 'default', name: object.metadata.name },
  uid: `uid-of-${object.metadata.name}`,
  revision: 7,
  object,
  facts,
});
const nodeRow = (object = node) =>
  aRow('nodes', object, { node: nodeFacts(object, undefined, 'client', NOW) });
const podRow = (object = pod) => aRow('pods', object, { pod: podFacts(object, undefined, NOW) });
const owned = (kind: string) => {
  const owner = { apiVersion: 'apps/v1', kind, name: 'web', uid: 'web', controller: true };
  return podRow({ ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } });
};
const ordinal = podRow({ ...pod, metadata: { ...pod.metadata, name: 'web-0' } });
const withMachine = nodeRow({ ...node, spec: { providerID: 'aws:///eu-west-1a/i-1' } });
const downNode = nodeRow(aNode({ conditions: [ready('Unknown', NOW)] }));

const facts = (given: Partial<Omit<RoutingFacts, 'mayHave'>> & { readonly has?: string }): RoutingFacts => ({
  hasCloud: given.hasCloud ?? false,
  hasClusterCidr: given.hasClusterCidr ?? false,
  mayHave: (resource) => resource === given.has,
});

/** The queues that get messages because of a change. */
const queuesOf = async (change: Change, known: RoutingFacts | undefined): Promise<readonly string[]> => {
  const sent = new Set<string>();
  const queues = { send: async (queue: string) => void sent.add(queue) };
  const deps = { ...createMemoryControlPlane().invoke(), queues };
  await routeChanges(known ? { ...deps, facts: known } : deps, [change]);
  return [...sent];
};

describe('a message that no controller can need is not sent (I-18)', () => {
  it.each<[string, Change, string, Parameters<typeof facts>[0]]>([
    ['an orphan, without ReplicaSets', { after: podRow() }, 'replica-set', { has: 'replicasets' }],
    ['an orphan, without DaemonSets', { after: podRow() }, 'daemon-set', { has: 'daemonsets' }],
    ['an orphan, without StatefulSets', { after: ordinal }, 'stateful-set', { has: 'statefulsets' }],
    ['a node, without DaemonSets', { after: nodeRow() }, 'daemon-set', { has: 'daemonsets' }],
    ['a node that is gone, without DaemonSets', { before: nodeRow() }, 'daemon-set', { has: 'daemonsets' }],
    ['a pod, without budgets', { after: podRow() }, 'disruption', { has: 'poddisruptionbudgets' }],
    ['a node, without a cluster CIDR', { after: nodeRow() }, 'node-ipam', { hasClusterCidr: true }],
    ['a node, without a cloud', { after: nodeRow() }, 'cloud-node', { hasCloud: true }],
    [
      'the machine of a node that is gone, without a cloud',
      { before: withMachine },
      'cloud-node',
      { hasCloud: true },
    ],
  ])('about %s', async (_, change, queue, needed) => {
    expect(await queuesOf(change, facts({}))).not.toContain(queue);
    expect(await queuesOf(change, facts(needed))).toContain(queue);
    expect(await queuesOf(change, undefined)).toContain(queue);
  });

  it.each<[string, Change, string]>([
    ['the owner of a pod, which may be gone', { before: owned('ReplicaSet') }, 'replica-set'],
    ['the owner of a daemon pod', { before: owned('DaemonSet') }, 'daemon-set'],
    ['a node that is down, which may be proven off', { before: nodeRow(), after: downNode }, 'cloud-node'],
    ['what is gone, which may have had dependents', { before: podRow() }, 'garbage'],
    ['a pod to place', { after: podRow() }, 'scheduler'],
  ])('but always one about %s', async (_, change, queue) => {
    expect(await queuesOf(change, facts({}))).toContain(queue);
  });
});
