import { describe, expect, it } from 'vitest';
import { CapacityReleaseMessage } from '../../../../lambdas/capacity-release/message.ts';
import { reconcile } from '../../../../lambdas/capacity-release/reconcile.ts';
import { routing } from '../../../../lambdas/capacity-release/routing.ts';
import type { Step } from '../../../../lambdas/contract/step.ts';
import type { Pod, PodPhase } from '../../../../shared/kube/types/core.ts';
import { SCHEDULER_QUEUE } from '../../../../shared/ports/process/messages.ts';
import type { OutgoingMessage } from '../../../../shared/ports/process/work-queue.ts';
import type { LiveRow } from '../../../../shared/ports/store/rows.ts';
import { aPod } from '../../../support/objects/domain-objects.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';

const KEY = { resource: 'pods', namespace: 'default', name: 'pod0' };

const inPhase = (phase: PodPhase, nodeName?: string): Pod => ({
  ...aPod(nodeName === undefined ? {} : { nodeName }),
  status: { phase },
});

const rowOf = (object: Pod): LiveRow => ({
  state: 'live',
  key: KEY,
  uid: object.metadata.uid ?? '',
  revision: 1,
  object,
  facts: {},
});

const step = (before: Pod | undefined, after: Pod | undefined): Step => ({
  key: KEY,
  uid: 'uid-of-pod0',
  revision: 2,
  before: before && rowOf(before),
  after: after && rowOf(after),
});

const MESSAGE: CapacityReleaseMessage = { v: 1, node: 'n1', uids: ['uid-of-pod0'] };

describe('routing', () => {
  it.each([
    ['a bound pod that is gone', inPhase('Running', 'n1'), undefined, true],
    ['a bound pod that has succeeded', inPhase('Running', 'n1'), inPhase('Succeeded', 'n1'), true],
    ['a bound pod that has failed', inPhase('Pending', 'n1'), inPhase('Failed', 'n1'), true],
    ['an ended pod that is gone', inPhase('Failed', 'n1'), undefined, true],
    ['a pod made as ended', undefined, inPhase('Succeeded', 'n1'), true],
    ['an ended pod that changes', inPhase('Failed', 'n1'), inPhase('Failed', 'n1'), false],
    ['a pod that is bound', inPhase('Pending'), inPhase('Pending', 'n1'), false],
    ['a bound pod that runs', inPhase('Pending', 'n1'), inPhase('Running', 'n1'), false],
    ['a pod without a node that is gone', inPhase('Pending'), undefined, false],
    ['a pod without a node that has failed', inPhase('Pending'), inPhase('Failed'), false],
  ] as const)('sends a message for %s: %#', (_, before, after, isSent) => {
    expect(routing.route(step(before, after))).toEqual(isSent ? [{ body: MESSAGE }] : []);
  });

  it('sends none for other kinds', () => {
    const { before, after, ...rest } = step(inPhase('Running', 'n1'), undefined);
    expect(routing.route({ ...rest, before, after, key: { ...KEY, resource: 'nodes' } })).toEqual([]);
  });

  it('joins the messages of a batch: one per node, of a hundred pods at most, each pod once', () => {
    const of = (node: string, ...uids: readonly string[]) => ({
      body: { ...MESSAGE, node, uids: [...uids] },
    });
    const many = Array.from({ length: 150 }, (_, n) => `u${n}`);
    expect(routing.merge?.([of('n1', 'a'), of('n2', 'b'), of('n1', 'c'), of('n1', 'a')])).toEqual([
      of('n1', 'a', 'c'),
      of('n2', 'b'),
    ]);
    expect(routing.merge?.(many.map((uid) => of('n1', uid)))).toEqual([
      of('n1', ...many.slice(0, 100)),
      of('n1', ...many.slice(100)),
    ]);
  });
});

it('reads messages of the first version, and nothing else', () => {
  expect(CapacityReleaseMessage.parse(JSON.parse('{"v":1,"node":"n1","uids":["uid-of-pod0"]}'))).toEqual(
    MESSAGE,
  );
  expect(() => CapacityReleaseMessage.parse({ ...MESSAGE, v: 2 })).toThrow('v');
});

describe('a message', () => {
  it('releases what its pods took, then wakes the scheduler, also when it comes twice (J-05)', async () => {
    const plane = createMemoryControlPlane();
    await plane.writer.write(KEY, () => ({ next: inPhase('Running', 'n1'), writer: 'client' }));
    await plane.writer.write(KEY, () => ({ next: 'delete', writer: 'client' }));
    const sent: unknown[] = [];
    const counts: number[] = [];
    const send = async (queue: string, messages: readonly OutgoingMessage[]): Promise<void> => {
      sent.push([queue, ...messages]);
      counts.push((await plane.state.capacity.allClaims('n1')).length);
    };
    const run = () => plane.clock.run(reconcile({ ...plane.invoke(), queues: { send } }, MESSAGE));
    expect(await run()).toEqual({ released: 1 });
    expect(await run()).toEqual({ released: 0 });
    const wakeUp = [SCHEDULER_QUEUE, { body: { v: 1, kind: 'change' } }];
    expect(sent).toEqual([wakeUp, wakeUp]);
    expect(counts).toEqual([0, 0]);
  });

  it('reaches the controller by the change router: room is back a moment after the pod is gone', async () => {
    const plane = createMemoryControlPlane();
    for (const name of ['a', 'b']) {
      const key = { ...KEY, name };
      await plane.writer.write(key, () => ({ next: aPod({ name, nodeName: 'n1' }), writer: 'client' }));
    }
    await plane.run(1_000);
    await plane.writer.write({ ...KEY, name: 'a' }, () => ({ next: 'delete', writer: 'client' }));
    await plane.run(5_000);
    expect((await plane.state.capacity.counters('n1'))?.counters).toEqual(new Map([['pods', 1]]));
    expect(plane.failures).toEqual([]);
  });
});
