import { describe, expect, it } from 'vitest';
import { PodReadinessMessage } from '../../../lambdas/pod-readiness/message.ts';
import { reconcile as markPods } from '../../../lambdas/pod-readiness/reconcile.ts';
import { TaintEvictionMessage } from '../../../lambdas/taint-eviction/message.ts';
import { reconcile as evictPods } from '../../../lambdas/taint-eviction/reconcile.ts';
import { createMemoryQueues } from '../../../shared/adapters/memory/queues.ts';
import type { QueueName } from '../../../shared/ports/process/work-queue.ts';
import type { ControlPlane, Invocation } from '../../../simulation/plane/control-plane-types.ts';
import { createMemoryControlPlane } from '../../support/planes/control-plane.ts';
import * as fleet from '../../support/planes/fleet.ts';

const PODS = 1_500;
/** Duration of a commit in a slow store: 1,500 pods with their Events, fifty at a time, take more than a minute. */
const COMMIT_MS = 1_100;
const VISIBILITY_MS = 60_000;
/** Pods of one part of a run. */
const TOGETHER = 256;
const TAINT = { key: 'k', effect: 'NoExecute' } as const;

const slow = (ports: Invocation): Invocation => ({
  ...ports,
  objects: {
    ...ports.objects,
    commit: async (commit) => {
      await ports.clock.sleep(COMMIT_MS);
      return ports.objects.commit(commit);
    },
  },
});

/** One node with many pods. */
const setUp = async (seconds?: number) => {
  const plane = createMemoryControlPlane({ invocation: slow });
  // No other controller acts on the changes.
  plane.set('stream', false);
  const uid = await fleet.addNode(plane, 'n1', { ready: 'True', taints: [TAINT] });
  const toleration = seconds === undefined ? {} : { tolerationSeconds: seconds };
  const tolerations = seconds === 0 ? [] : [{ key: 'k', operator: 'Exists', ...toleration }];
  for (let pod = 0; pod < PODS; pod += 1) await fleet.addPod(plane, `p${pod}`, { node: 'n1', tolerations });
  return { plane, uid };
};

type Handle = (ports: ReturnType<ControlPlane['invoke']>, body: unknown) => Promise<unknown>;

/**
 * Handles messages until none is left. A message becomes visible again after a minute, as on a host. Returns the number of runs, and
 * how often the most-received message was received.
 */
const drain = async (plane: ControlPlane, queue: QueueName, first: unknown, handle: Handle) => {
  const { clock } = plane;
  const queues = createMemoryQueues({ clock, visibilityTimeoutMs: VISIBILITY_MS });
  await queues.send(queue, [{ body: first }]);
  const inHand = new Set<Promise<void>>();
  let [runs, mostReceives] = [0, 0];
  const work = async (): Promise<void> => {
    while (queues.nextAt() !== undefined) {
      for (const { body, receipt, receiveCount } of await queues.receive(queue, 10)) {
        runs += 1;
        mostReceives = Math.max(mostReceives, receiveCount);
        const one = handle({ ...plane.invoke(), queues }, JSON.parse(body))
          .then(() => queues.delete(queue, receipt))
          .finally(() => inHand.delete(one));
        inHand.add(one);
      }
      await clock.sleep(1_000);
    }
  };
  await clock.run(work());
  return { runs, mostReceives };
};

describe('a node with more pods than a run can take', () => {
  it('is evicted in several runs, each of which queues the rest, and each message is received once', async () => {
    const { plane } = await setUp(0);
    const message: TaintEvictionMessage = { v: 1, kind: 'node', name: 'n1' };
    const result = await drain(plane, 'taint-eviction', message, (ports, body) =>
      evictPods(ports, TaintEvictionMessage.parse(body)),
    );
    expect(result.mostReceives).toBe(1);
    expect(result.runs).toBeGreaterThan(1);
    const { value: pods } = await plane.state.objects.podsByNode('n1');
    expect(pods.filter(({ facts }) => facts.pod?.deletionTimestamp === undefined)).toEqual([]);
    expect(fleet.eventsOf(plane)).toHaveLength(PODS);
  });

  it('is marked not ready in several runs, each of which queues the rest, and each message is received once', async () => {
    const { plane, uid } = await setUp();
    await fleet.silence(plane, 'n1');
    const message: PodReadinessMessage = { v: 1, kind: 'node', name: 'n1', uid };
    const result = await drain(plane, 'pod-readiness', message, (ports, body) =>
      markPods(ports, PodReadinessMessage.parse(body)),
    );
    expect(result.mostReceives).toBe(1);
    expect(result.runs).toBeGreaterThan(1);
    expect(fleet.eventsOf(plane)).toHaveLength(PODS);
    expect(await markPods(plane.invoke(), message)).toEqual({ marked: 0 });
  });

  it('has its deadlines stored and read in parts of 256 pods', async () => {
    const { plane } = await setUp(300);
    const calls = { deadlines: 0, storeDeadlines: 0 };
    const ports = plane.invoke();
    const control: typeof ports.control = {
      ...ports.control,
      deadlines: (pods) => {
        calls.deadlines += 1;
        return ports.control.deadlines(pods);
      },
      storeDeadlines: (writes) => {
        calls.storeDeadlines += 1;
        return ports.control.storeDeadlines(writes);
      },
    };
    const run = () => plane.clock.run(evictPods({ ...ports, control }, { v: 1, kind: 'node', name: 'n1' }));
    expect((await run()).filter((pod) => pod.outcome === 'waiting' && pod.isNew)).toHaveLength(PODS);
    expect(calls).toEqual({
      deadlines: Math.ceil(PODS / TOGETHER),
      storeDeadlines: Math.ceil(PODS / TOGETHER),
    });
    await run();
    expect(calls.storeDeadlines).toBe(Math.ceil(PODS / TOGETHER));
  });

  it('loses its pods in the run that waits for their deadlines, without a second list of its pods', async () => {
    const { plane } = await setUp(60);
    const start = plane.clock.now();
    const message: TaintEvictionMessage = { v: 1, kind: 'node', name: 'n1' };
    await plane.clock.run(evictPods(plane.invoke(), message));
    plane.clock.advance(start + 59_000 - plane.clock.now());
    let lists = 0;
    const ports = plane.invoke();
    const objects = {
      ...ports.objects,
      podsByNode: (node: string) => {
        lists += 1;
        return ports.objects.podsByNode(node);
      },
    };
    const report = await plane.clock.run(evictPods({ ...ports, objects }, message));
    expect(lists).toBe(1);
    expect(report.filter(({ outcome }) => outcome === 'evicted').length).toBeGreaterThan(0);
  });
});
