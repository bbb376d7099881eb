import { describe, expect, it } from 'vitest';
import { createBatchRouter } from '../../../../lambdas/change-router/batch-router.ts';
import type { Change } from '../../../../lambdas/change-router/change.ts';
import { resync } from '../../../../lambdas/change-router/resync.ts';
import { routeChange, routeChanges } from '../../../../lambdas/change-router/route-changes.ts';
import { ROUTED_QUEUES, type RoutedQueue } from '../../../../lambdas/controllers.ts';
import type { Node, Pod } from '../../../../shared/kube/types/core.ts';
import type { OutgoingMessage } from '../../../../shared/ports/process/work-queue.ts';
import type { LiveRow } from '../../../../shared/ports/store/rows.ts';
import { nodeFacts, withDerivedFields } from '../../../../shared/store/commit/node-facts.ts';
import { podFacts } from '../../../../shared/store/commit/pod-facts.ts';
import { aNode, aPod, ready, taint } from '../../../support/objects/domain-objects.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import * as fleet from '../../../support/planes/fleet.ts';

const NOW = 1_700_000_000_000;

const podRow = (pod: Pod): LiveRow => ({
  state: 'live',
  key: { resource: 'pods', namespace: 'default', name: pod.metadata.name },
  uid: pod.metadata.uid ?? '',
  revision: 7,
  object: pod,
  facts: { pod: podFacts(pod, undefined, NOW) },
});

const nodeRow = (node: Node): LiveRow => {
  const object = withDerivedFields(node, undefined, NOW);
  return {
    state: 'live',
    key: { resource: 'nodes', namespace: '', name: node.metadata.name },
    uid: node.metadata.uid ?? '',
    revision: 7,
    object,
    facts: { node: nodeFacts(object, undefined, 'client', NOW) },
  };
};

/** A batch that causes work revisions, lifecycle events, Events, and messages to seven queues. */
const BATCH: readonly Change[] = [
  { after: podRow(aPod({ nodeName: 'n1' })) },
  { after: nodeRow(aNode({ conditions: [ready('True', NOW)] })) },
];
const QUEUES = ROUTED_QUEUES.filter((queue) =>
  BATCH.some((change) => (routeChange(change).messages.get(queue) ?? []).length > 0),
);
const PARTS: readonly string[] = [
  ...QUEUES.map((queue) => `queue ${queue}`),
  'work revisions',
  'event bus',
  'sink a',
  'sink b',
];

/** A control plane whose ports count what they get, and of which one may fail. */
const counted = () => {
  const got: string[] = [];
  const fails = new Set<string>();
  const take = async (part: string): Promise<void> => {
    if (fails.has(part)) throw new Error(`no ${part}`);
    got.push(part);
  };
  const sink = (name: string) => ({ name, publish: () => take(name) });
  const ports = {
    queues: { send: (queue: string) => take(`queue ${queue}`) },
    heartbeats: { bumpWorkRevision: () => take('work revisions') },
    bus: { publish: () => take('event bus') },
    sinks: [sink('sink a'), sink('sink b')],
    recorder: { record: () => take('Events') },
  };
  const deps = { ...createMemoryControlPlane().invoke(), ...ports };
  return { got, fails, deps };
};

const sorted = (parts: readonly string[]): readonly string[] => parts.toSorted();

describe('a part of a batch that fails', () => {
  it('is tried of all kinds', () => expect(QUEUES.length).toBeGreaterThan(4));

  it.each(PARTS)('keeps no other from its part, and is alone sent again: %s', async (part) => {
    const { got, fails, deps } = counted();
    fails.add(part);
    const router = createBatchRouter(deps);
    const route = () => router(BATCH, 'e1/2');
    await expect(route()).rejects.toThrow(`1 of`);
    const others = [...PARTS.filter((other) => other !== part), 'Events'];
    expect(sorted(got)).toEqual(sorted(others));

    await expect(route()).rejects.toThrow(`${part}: no ${part}`);
    expect(sorted(got)).toEqual(sorted(others));

    fails.clear();
    await route();
    expect(sorted(got)).toEqual(sorted([...others, part]));
  });

  it('is named with all others that fail', async () => {
    const { got, fails, deps } = counted();
    for (const part of PARTS) fails.add(part);
    await expect(routeChanges(deps, BATCH)).rejects.toThrow(
      PARTS.map((part) => `${part}: no ${part}`).join('; '),
    );
    expect(got).toEqual(['Events']);
  });

  it('may throw before it returns a promise', async () => {
    const { got, deps } = counted();
    const send = (): never => {
      throw new Error('no URL is configured');
    };
    await expect(routeChanges({ ...deps, queues: { send } }, BATCH)).rejects.toThrow('no URL is configured');
    expect(got).toContain('event bus');
  });

  it('is sent again with all others if the process has lost its memory, or the batch is another one', async () => {
    const { got, fails, deps } = counted();
    const route = createBatchRouter(deps);
    fails.add('event bus');
    await expect(route(BATCH, 'e1/2')).rejects.toThrow('event bus');
    const once = got.length;
    for (const batch of ['e1/3', 'e2/2', undefined, undefined])
      await expect(route(BATCH, batch)).rejects.toThrow('event bus');
    expect(got).toHaveLength(5 * once);
  });

  it('gets the changes of a key in order, because the next batch waits for this one', async () => {
    const { deps } = counted();
    const sent: unknown[] = [];
    let isBroken = true;
    const send = async (queue: RoutedQueue, messages: readonly OutgoingMessage[]): Promise<void> => {
      if (queue !== 'taint-eviction') return;
      if (isBroken) throw new Error('no queue');
      sent.push(...messages.map(({ body }) => (body as { readonly uid: string }).uid));
    };
    const own = { ...deps, queues: { send } as typeof deps.queues };
    const route = createBatchRouter(own);
    const batches = ['u1', 'u2'].map((uid) => [{ after: { ...podRow(aPod({ nodeName: 'n1' })), uid } }]);
    for (const [index, batch] of batches.entries())
      for (let isOver = false; !isOver; isBroken = false)
        isOver = await route(batch, `e${index}/1`).then(
          () => true,
          () => false,
        );
    expect(sent).toEqual(['u1', 'u2']);
  });
});

describe('a router of batches, while a part fails', () => {
  const aRouter = (most?: number) => {
    const { got, fails, deps } = counted();
    fails.add('event bus');
    const route = createBatchRouter(deps, most);
    /** Whether the parts that do not fail have got the batch. */
    return async (batch: string | undefined): Promise<boolean> => {
      const before = got.length;
      await expect(route(BATCH, batch)).rejects.toThrow('event bus');
      return got.length > before;
    };
  };

  it('remembers the batches that were asked for last', async () => {
    const isSent = aRouter(2);
    const sent: boolean[] = [];
    for (const batch of ['a', 'b', 'a', 'c', 'a', 'c', 'b']) sent.push(await isSent(batch));
    expect(sent).toEqual([true, true, false, true, false, false, true]);
  });

  it('remembers 100 batches, and none without an id', async () => {
    const isSent = aRouter();
    for (let batch = 0; batch < 101; batch++) await isSent(String(batch));
    expect([await isSent('1'), await isSent('0')]).toEqual([false, true]);
    expect([await isSent(undefined), await isSent(undefined)]).toEqual([true, true]);
  });
});

describe('a resync', () => {
  it('gives the other queues all messages if one fails, which is asked once, and fails at the end', async () => {
    const plane = createMemoryControlPlane();
    await fleet.addNode(plane, 'silent', { ready: 'True' });
    await fleet.silence(plane, 'silent');
    await fleet.addNode(plane, 'tainted', { ready: 'True', taints: [taint('k:NoExecute')] });
    const { objects } = plane.invoke();
    const pages = [
      ...(await Array.fromAsync(objects.nodeHealth())),
      ...(await Array.fromAsync(objects.nodeHealth())),
    ];
    const asked: string[] = [];
    const deps = {
      objects: {
        read: objects.read,
        nodeHealth: async function* () {
          yield* pages;
        },
      },
      queues: {
        send: async (queue: string): Promise<void> => {
          asked.push(queue);
          if (queue === 'taint-eviction') throw new Error('no queue');
        },
      },
    };
    await expect(resync(deps)).rejects.toThrow('taint-eviction');
    expect(asked).toEqual(['taint-eviction', 'pod-readiness', 'pod-readiness']);
  });
});
