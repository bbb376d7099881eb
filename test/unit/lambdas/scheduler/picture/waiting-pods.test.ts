import { describe, expect, it } from 'vitest';
import { createWaitingPods } from '../../../../../lambdas/scheduler/picture/waiting-pods.ts';
import type { Pod } from '../../../../../shared/kube/types/core.ts';
import { toTime } from '../../../../../shared/kube/values/time.ts';

const T0 = Date.parse('2026-01-01T00:00:00Z');
const NO_PLUGINS: ReadonlySet<string> = new Set(['NodeResourcesFit']);

const aPod = (name: string, { priority = 0, createdAt = T0 } = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, uid: name, namespace: 'default', creationTimestamp: toTime(createdAt) },
  spec: { priority, containers: [{ name: 'c', image: 'i' }] },
});

const waitingPods = (pods: readonly Pod[] = []) => {
  const waiting = createWaitingPods();
  for (const pod of pods) waiting.put(pod);
  const due = (now = T0, limit = 10) => waiting.due(now, limit).map(({ pod }) => pod.metadata.name);
  const taken = (name: string) => {
    const found = waiting.get(name);
    if (!found) throw new Error(`${name} does not wait`);
    return found;
  };
  return { waiting, due, taken };
};

describe('pods that wait', () => {
  it('are tried by priority, then age, also when some come later', () => {
    const { waiting, due } = waitingPods([
      aPod('old', { createdAt: T0 - 2_000 }),
      aPod('young', { createdAt: T0 - 1_000 }),
    ]);
    expect(due()).toEqual(['old', 'young']);
    waiting.put(aPod('first', { priority: 5 }));
    waiting.put(aPod('between', { createdAt: T0 - 1_500 }));
    waiting.put(aPod('last', { priority: -5, createdAt: 0 }));
    expect(due()).toEqual(['first', 'old', 'between', 'young', 'last']);
    expect(due(T0, 2)).toEqual(['first', 'old']);
  });

  it('leave their place when they are placed or gone, and get it back when the bind is refused', () => {
    const { waiting, due, taken } = waitingPods([aPod('a'), aPod('b'), aPod('c')]);
    expect(due()).toEqual(['a', 'b', 'c']);
    waiting.place(taken('a'));
    waiting.remove('b');
    expect(due()).toEqual(['c']);
    waiting.retry(taken('a'), T0);
    expect(due()).toEqual(['c']);
    expect(waiting.nextAt(T0)).toBe(T0 + 50);
    expect(due(T0 + 50)).toEqual(['c', 'a']);
  });

  it('are counted as to be tried, resting or refused', () => {
    const { waiting, due, taken } = waitingPods([aPod('a'), aPod('b'), aPod('c')]);
    due();
    waiting.refuse(taken('a'), NO_PLUGINS, T0);
    waiting.retry(taken('b'), T0);
    expect(waiting.counts(T0)).toEqual({ active: 1, backoff: 1, unschedulable: 1 });
    waiting.wakeAll();
    expect(waiting.counts(T0)).toEqual({ active: 1, backoff: 2, unschedulable: 0 });
    expect(due(T0 + 1_000)).toEqual(['c', 'b', 'a']);
  });

  it.each(['retry', 'refuse'] as const)('are forgotten if they are gone before %s', (how) => {
    const { waiting, due, taken } = waitingPods([aPod('a')]);
    const gone = taken('a');
    waiting.place(gone);
    waiting.remove('a');
    if (how === 'retry') waiting.retry(gone, T0);
    else waiting.refuse(gone, NO_PLUGINS, T0);
    waiting.wakeAll();
    expect(due(T0 + 60_000)).toEqual([]);
    expect(waiting.counts(T0 + 60_000)).toEqual({ active: 0, backoff: 0, unschedulable: 0 });
  });

  it('are sorted once, not for each part that is asked for', () => {
    const pods = Array.from({ length: 5_000 }, (_, n) => aPod(`p${n}`, { createdAt: T0 + n * 1_000 }));
    let reads = 0;
    const counting = (pod: Pod): Pod => ({
      ...pod,
      get spec() {
        reads += 1;
        return pod.spec;
      },
    });
    const { waiting } = waitingPods(pods.map(counting));
    const order: string[] = [];
    for (let part = waiting.due(T0, 128); part.length > 0; part = waiting.due(T0, 128))
      for (const one of part) {
        order.push(one.pod.metadata.name);
        waiting.place(one);
      }
    expect(order).toEqual(pods.map(({ metadata }) => metadata.name));
    expect(reads).toBeLessThan(pods.length * 40);
  });
});
