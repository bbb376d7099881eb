import { describe, expect, it } from 'vitest';
import type { PodReadinessMessage } from '../../../../lambdas/pod-readiness/message.ts';
import { routing } from '../../../../lambdas/pod-readiness/routing.ts';

const SECOND = { delaySeconds: 10 };

const silence = (n: number) =>
  ({ body: { v: 1, kind: 'node', name: `n${n}`, uid: `u${n}` } }) as const satisfies {
    readonly body: PodReadinessMessage;
  };
const looksAt = (n: number) => [silence(n), { ...silence(n), ...SECOND }];
const named = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => ({ name: `n${from + n}`, uid: `u${from + n}` }));

describe('the nodes of a batch of changes', () => {
  it('share messages, ten each, the second looks apart', () => {
    const messages = Array.from({ length: 25 }, (_, n) => looksAt(n)).flat();
    const nodes = [named(0, 10), named(10, 20), named(20, 25)].map((some) => ({
      body: { v: 1, kind: 'nodes', nodes: some },
    }));
    expect(routing.merge?.(messages)).toEqual([...nodes, ...nodes.map((one) => ({ ...one, ...SECOND }))]);
  });

  it('leave other messages as they are', () => {
    const pod = { body: { v: 1, kind: 'pod', namespace: 'default', name: 'p', uid: 'u' } } as const;
    const merged = routing.merge?.([pod, ...looksAt(0), ...looksAt(1)]) ?? [];
    expect(merged[0]).toBe(pod);
    expect(merged).toHaveLength(3);
  });

  it('have their own messages if it is one', () => {
    expect(routing.merge?.(looksAt(0))).toEqual(looksAt(0));
  });
});
