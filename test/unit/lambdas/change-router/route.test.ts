import { describe, expect, it } from 'vitest';
import type { Change } from '../../../../lambdas/change-router/change.ts';
import { resync } from '../../../../lambdas/change-router/resync.ts';
import { routeChange, routeChanges } from '../../../../lambdas/change-router/route-changes.ts';
import type { RoutedQueue } from '../../../../lambdas/controllers.ts';
import type { Node, Pod } from '../../../../shared/kube/types/core.ts';
import type { OutgoingMessage } from '../../../../shared/ports/process/work-queue.ts';
import type { LiveRow, Row } from '../../../../shared/ports/store/rows.ts';
import { markUnknown } from '../../../../shared/rules/nodes/node-conditions.ts';
import { nodeFacts, withDerivedFields } from '../../../../shared/store/commit/node-facts.ts';
import { podFacts } from '../../../../shared/store/commit/pod-facts.ts';
import { aNode, aPod, ready, taint } from '../../../support/objects/domain-objects.ts';
import { faultsOf } from '../../../support/objects/event-schemas.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import * as fleet from '../../../support/planes/fleet.ts';

const NOW = 1_700_000_000_000;

/** The row of a node after the monitor set its Ready to Unknown. */
const silenced = (node: Node): LiveRow => {
  const before = nodeRow(node);
  const object = withDerivedFields(markUnknown(node, NOW), node, NOW);
  const was = before.facts.node && { node, facts: before.facts.node };
  return { ...before, object, facts: { node: nodeFacts(object, was, 'controller', NOW) } };
};

const nodeRow = (node: Node, revision = 7, now = NOW): LiveRow => ({
  state: 'live',
  key: { resource: 'nodes', namespace: '', name: node.metadata.name },
  uid: node.metadata.uid ?? '',
  revision,
  object: withDerivedFields(node, undefined, now),
  facts: { node: nodeFacts(withDerivedFields(node, undefined, now), undefined, 'client', now) },
});

const podRow = (pod: Pod, revision = 7): LiveRow => ({
  state: 'live',
  key: { resource: 'pods', namespace: 'default', name: pod.metadata.name },
  uid: pod.metadata.uid ?? '',
  revision,
  object: pod,
  facts: { pod: podFacts(pod, undefined, NOW) },
});

const markerOf = ({ key, uid }: LiveRow): Row => ({ state: 'marker', key, uid, revision: 8 });

const up = aNode({ conditions: [ready('True', NOW)] });
const down = aNode({ conditions: [ready('False', NOW)] });
const NODE_KEY = { v: 1, kind: 'node', name: 'node0', uid: 'uid-of-node0' } as const;
const POD_KEY = { v: 1, kind: 'pod', namespace: 'default', name: 'pod0', uid: 'uid-of-pod0' } as const;

const bodies = (change: Change) => {
  const { messages, workFor, lifecycle, notices } = routeChange(change);
  const of = (queue: RoutedQueue) => (messages.get(queue) ?? []).map(({ body }) => body);
  return {
    podReadiness: of('pod-readiness'),
    taintEviction: of('taint-eviction'),
    workFor,
    lifecycle: lifecycle.map(({ detailType }) => detailType),
    notices: notices.map(({ text }) => text.reason),
  };
};

const NOTHING = { podReadiness: [], taintEviction: [], workFor: [], lifecycle: [], notices: [] };
const evict = { v: 1, kind: 'node', name: 'node0' } as const;

describe('a change of a node', () => {
  const tainted = aNode({ conditions: [ready('True', NOW)], taints: [taint('k=v:NoExecute')] });
  it.each<[string, Change, Partial<ReturnType<typeof bodies>>]>([
    [
      'created',
      { after: nodeRow(up) },
      { lifecycle: ['NodeRegistered', 'NodeReady'], notices: ['RegisteredNode'] },
    ],
    [
      'created over a marker',
      { before: markerOf(nodeRow(up)), after: nodeRow(up) },
      { lifecycle: ['NodeRegistered', 'NodeReady'], notices: ['RegisteredNode'] },
    ],
    [
      'deleted',
      { before: nodeRow(up), after: markerOf(nodeRow(up)) },
      { lifecycle: ['NodeRemoved'], notices: ['RemovingNode'] },
    ],
    [
      'deleted while tainted',
      { before: nodeRow(tainted), after: markerOf(nodeRow(tainted)) },
      { lifecycle: ['NodeRemoved'], notices: ['RemovingNode'], taintEviction: [evict] },
    ],
    [
      'made Unknown by the monitor',
      { before: nodeRow(up), after: silenced(up) },
      {
        podReadiness: [NODE_KEY, NODE_KEY],
        lifecycle: ['NodeNotReady', 'NodeLost', 'NodeTainted'],
        workFor: ['node0'],
      },
    ],
    [
      'made Unknown by the monitor, after it had reported itself as not ready',
      { before: nodeRow(down), after: silenced(down) },
      { lifecycle: ['NodeNotReady', 'NodeLost', 'NodeTainted', 'NodeUntainted'], workFor: ['node0'] },
    ],
    ['changed while it is silent (R-08)', { before: silenced(up), after: silenced(up) }, {}],
    [
      'posted Unknown by a client, with the reason of the monitor',
      { before: nodeRow(up), after: nodeRow(markUnknown(up, NOW)) },
      { lifecycle: ['NodeNotReady', 'NodeLost', 'NodeTainted'], workFor: ['node0'] },
    ],
    [
      'posted Unknown by a client',
      { before: nodeRow(up), after: nodeRow(aNode({ conditions: [ready('Unknown', NOW)] })) },
      { lifecycle: ['NodeNotReady', 'NodeLost', 'NodeTainted'], workFor: ['node0'] },
    ],
    [
      'posted NotReady',
      { before: nodeRow(up), after: nodeRow(down) },
      { lifecycle: ['NodeNotReady', 'NodeTainted'], workFor: ['node0'] },
    ],
    [
      'posted Ready',
      { before: nodeRow(down), after: nodeRow(up) },
      { lifecycle: ['NodeReady', 'NodeUntainted'], workFor: ['node0'] },
    ],
    [
      'tainted NoExecute',
      { before: nodeRow(up), after: nodeRow(tainted) },
      { taintEviction: [evict], lifecycle: ['NodeTainted'], workFor: ['node0'] },
    ],
    [
      'given the same taint again, at a later time',
      { before: nodeRow(tainted), after: nodeRow(tainted, 8, NOW + 1_000) },
      { taintEviction: [evict] },
    ],
    [
      'cordoned',
      {
        before: nodeRow(up),
        after: nodeRow(aNode({ conditions: [ready('True', NOW)], unschedulable: true })),
      },
      { lifecycle: ['NodeTainted'], workFor: ['node0'] },
    ],
    [
      'changed in status only',
      { before: nodeRow(up), after: nodeRow(aNode({ conditions: [ready('True', NOW + 10_000)] })) },
      {},
    ],
    ['whose deletion marker expired', { before: markerOf(nodeRow(up)) }, {}],
    ['without any row', {}, {}],
  ])('%s', (_, change, expected) => {
    expect(bodies(change)).toEqual({ ...NOTHING, ...expected });
    for (const { detailType, detail } of routeChange(change).lifecycle)
      expect(faultsOf(detailType, detail)).toEqual([]);
  });

  it('has a lifecycle event whose id is uid and revision, for ordering and deduplication', () => {
    const [event] = routeChange({ before: nodeRow(up), after: markerOf(nodeRow(up)) }).lifecycle;
    expect(event?.detail.id).toBe('uid-of-node0/8');
  });
});

describe('a change of a pod', () => {
  const bound = aPod({ nodeName: 'n1' });
  const terminating: Pod = {
    ...bound,
    metadata: { ...bound.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
  };
  const evicted: Pod = {
    ...terminating,
    status: { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' }] },
  };
  it.each<[string, Change, Partial<ReturnType<typeof bodies>>]>([
    ['created unbound', { after: podRow(aPod()) }, {}],
    [
      'created bound',
      { after: podRow(bound) },
      { podReadiness: [POD_KEY], taintEviction: [POD_KEY], workFor: ['n1'] },
    ],
    [
      'bound',
      { before: podRow(aPod()), after: podRow(bound) },
      { podReadiness: [POD_KEY], taintEviction: [POD_KEY], workFor: ['n1'] },
    ],
    [
      'given other tolerations',
      { before: podRow(bound), after: podRow(aPod({ nodeName: 'n1', tolerations: fleet.staying(1) })) },
      { taintEviction: [POD_KEY] },
    ],
    [
      'given other tolerations while unbound',
      { before: podRow(aPod()), after: podRow(aPod({ tolerations: fleet.staying(1) })) },
      {},
    ],
    [
      'given another specification',
      { before: podRow(bound), after: podRow({ ...bound, metadata: { ...bound.metadata, generation: 2 } }) },
      { workFor: ['n1'] },
    ],
    ['marked for deletion', { before: podRow(bound), after: podRow(terminating) }, { workFor: ['n1'] }],
    [
      'evicted',
      { before: podRow(bound), after: podRow(evicted) },
      { workFor: ['n1'], lifecycle: ['PodEvicted'] },
    ],
    ['changed after its eviction', { before: podRow(evicted), after: podRow(evicted, 8) }, {}],
    ['deleted', { before: podRow(bound), after: markerOf(podRow(bound)) }, { workFor: ['n1'] }],
    ['deleted unbound', { before: podRow(aPod()), after: markerOf(podRow(aPod())) }, {}],
    [
      'changed in status only',
      {
        before: podRow(bound),
        after: podRow({ ...bound, status: { phase: 'Running' } }),
      },
      {},
    ],
  ])('%s', (_, change, expected) => {
    expect(bodies(change)).toEqual({ ...NOTHING, ...expected });
    for (const { detailType, detail } of routeChange(change).lifecycle)
      expect(faultsOf(detailType, detail)).toEqual([]);
  });
});

describe('a batch of changes', () => {
  it('is routed without the changes that cannot be read', async () => {
    const plane = createMemoryControlPlane();
    const sent: OutgoingMessage[] = [];
    const queues = {
      send: async (_: string, messages: readonly OutgoingMessage[]) => void sent.push(...messages),
    };
    const bad = { after: { ...nodeRow(up), key: undefined } } as unknown as Change;
    const report = await routeChanges({ ...plane.invoke(), queues }, [
      bad,
      { after: podRow(aPod({ nodeName: 'n1' })) },
    ]);
    expect(report).toMatchObject({ changes: 2, badRecords: [{ change: bad }] });
    // To taint-eviction, pod-readiness, scheduler and disruption, and two to pod-gc, as the pod is bound and has no phase.
    expect(sent).toHaveLength(6);
  });

  it('sends one message per key and raises the work revision of a node once', async () => {
    const plane = createMemoryControlPlane();
    const sent: OutgoingMessage[] = [];
    const bumped: string[] = [];
    const ports = {
      queues: {
        send: async (_: string, messages: readonly OutgoingMessage[]) => void sent.push(...messages),
      },
      heartbeats: { bumpWorkRevision: async (node: string) => void bumped.push(node) },
    };
    const change = { after: podRow(aPod({ nodeName: 'n1' })) };
    await routeChanges({ ...plane.invoke(), ...ports }, [change, change]);
    expect(sent).toHaveLength(6);
    expect(bumped).toEqual(['n1']);
  });

  it('fails if a queue fails, so that it is delivered again', async () => {
    const plane = createMemoryControlPlane();
    const queues = { send: async () => Promise.reject(new Error('no queue')) };
    const change = { after: podRow(aPod({ nodeName: 'n1' })) };
    await expect(routeChanges({ ...plane.invoke(), queues }, [change])).rejects.toThrow('no queue');
  });
});

describe('a resync', () => {
  it('queues the messages that every node needs in its present state (R-08)', async () => {
    const plane = createMemoryControlPlane();
    await fleet.addNode(plane, 'fine', { ready: 'True' });
    await fleet.addNode(plane, 'silent', { ready: 'True' });
    await fleet.addNode(plane, 'never-ready');
    await fleet.addNode(plane, 'ill', { ready: 'False' });
    await fleet.addNode(plane, 'says-unknown', { ready: 'Unknown' });
    for (const name of ['silent', 'never-ready', 'ill']) await fleet.silence(plane, name);
    await fleet.addNode(plane, 'tainted', { ready: 'True', taints: [taint('k:NoExecute')] });
    const sent: [string, readonly OutgoingMessage[]][] = [];
    const queues = {
      send: async (queue: string, messages: readonly OutgoingMessage[]) => void sent.push([queue, messages]),
    };
    expect(await resync({ ...plane.invoke(), queues })).toEqual({ nodes: 6, messages: 2 });
    expect(sent).toEqual([
      ['taint-eviction', [{ body: { v: 1, kind: 'node', name: 'tainted' } }]],
      ['pod-readiness', [{ body: expect.objectContaining({ name: 'silent' }) }]],
    ]);
  });
});
