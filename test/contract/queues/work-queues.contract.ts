// What every pair of WorkQueues and QueueConsumer keeps to. `wait` lets time go by: at once where the clock is virtual.
import { beforeEach, describe, expect, it } from 'vitest';
import type {
  QueueConsumer,
  QueueName,
  ReceivedMessage,
  WorkQueues,
} from '../../../shared/ports/process/work-queue.ts';

/** Queues with a visibility timeout of 2 s that give up a message after it was received twice. */
export interface QueuesUnderTest {
  readonly queues: WorkQueues & QueueConsumer;
  wait(ms: number): Promise<void>;
}

const QUEUE: QueueName = 'taint-eviction';
const SETTLE_MS = 500;
const VISIBILITY_MS = 2500;
const ROUNDS = 10;

const messagesContract = (under: () => QueuesUnderTest): void => {
  const { send, receive } = {
    send: (...bodies: readonly unknown[]) =>
      under().queues.send(
        QUEUE,
        bodies.map((body) => ({ body })),
      ),
    receive: (max = 10) => under().queues.receive(QUEUE, max),
  };

  /** Standard queues answer with fewer messages than there are, and somewhat later than they could. */
  const until = async (
    count: number,
    read: () => Promise<readonly ReceivedMessage[]>,
  ): Promise<readonly ReceivedMessage[]> => {
    const found: ReceivedMessage[] = [];
    for (let round = 0; found.length < count && round < ROUNDS; round++) {
      const messages = await read();
      found.push(...messages);
      if (messages.length === 0) await under().wait(SETTLE_MS);
    }
    return found;
  };
  const receiveAll = (count: number): Promise<readonly ReceivedMessage[]> => until(count, receive);

  it('deliver a message as JSON', async () => {
    await send({ v: 1, kind: 'node', name: 'n1' });
    const [message] = await receiveAll(1);
    expect(JSON.parse(message?.body ?? '')).toEqual({ v: 1, kind: 'node', name: 'n1' });
    expect(message?.receiveCount).toBe(1);
  });

  it('accept more messages than one call carries, and an empty list', async () => {
    await send();
    await send(...Array.from({ length: 25 }, (_, n) => n));
    const bodies = (await receiveAll(25)).map(({ body }) => Number(body)).toSorted((a, b) => a - b);
    expect(bodies).toEqual(Array.from({ length: 25 }, (_, n) => n));
  });

  it('are separate from each other', async () => {
    await send('a');
    expect(await under().queues.receive('pod-readiness', 10)).toEqual([]);
  });

  it('hide a received message, and deliver it again if it was not deleted', async () => {
    await send('a');
    const [first] = await receiveAll(1);
    expect(await receive()).toEqual([]);
    await under().wait(VISIBILITY_MS);
    const [second] = await receiveAll(1);
    expect(second).toMatchObject({ id: first?.id, receiveCount: 2 });
  });

  it('do not deliver a deleted message again', async () => {
    await send('a');
    const [message] = await receiveAll(1);
    await under().queues.delete(QUEUE, message?.receipt ?? '');
    await under().wait(VISIBILITY_MS);
    expect(await receive()).toEqual([]);
  });

  it('delay a message by whole seconds', async () => {
    await under().queues.send(QUEUE, [{ body: 'late', delaySeconds: 2 }]);
    expect(await receive()).toEqual([]);
    await under().wait(2000 + SETTLE_MS);
    expect(await receiveAll(1)).toHaveLength(1);
  });

  it('move a message that failed too often to the dead letters, and back', async () => {
    await send('a');
    for (let round = 0; round < 2; round++) {
      expect(await receiveAll(1)).toHaveLength(1);
      await under().wait(VISIBILITY_MS);
    }
    const dead = await until(1, async () => {
      // It is put aside by the attempt to receive it once more.
      expect(await receive()).toEqual([]);
      return under().queues.deadLetters(QUEUE);
    });
    expect(dead.map(({ body }) => JSON.parse(body))).toEqual(['a']);
    await under().wait(VISIBILITY_MS);
    expect(await under().queues.redrive(QUEUE)).toBe(1);
    expect(await receiveAll(1)).toHaveLength(1);
  });
};

export const workQueuesContract = (name: string, create: () => Promise<QueuesUnderTest>): void => {
  describe(`WorkQueues and QueueConsumer: ${name}`, () => {
    let under: QueuesUnderTest;
    beforeEach(async () => {
      under = await create();
    });
    messagesContract(() => under);
  });
};
