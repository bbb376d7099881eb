import { describe, expect, it } from 'vitest';
import { startPumps, type Worker } from '../../../../host/queues/queue-pumps.ts';
import { createMemoryQueues } from '../../../../shared/adapters/memory/queues.ts';
import { createDoorbell } from '../../../../shared/serving/machine/doorbell.ts';

/** Real time: bodies are handled within milliseconds. */
const clock = { now: () => Date.now() };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const until = async (holds: () => boolean): Promise<void> => {
  for (let turns = 0; !holds(); turns += 1) {
    if (turns > 200_000) throw new Error('it never holds');
    await turn();
  }
};

const pumping = (worker: Partial<Worker> & Pick<Worker, 'handle'>, visibilityTimeoutMs = 1) => {
  const queues = createMemoryQueues({ clock, visibilityTimeoutMs, maxReceiveCount: 2 });
  const doorbell = createDoorbell();
  const failures: unknown[] = [];
  const workers: Worker[] = [{ queue: 'taint-eviction', concurrency: 2, isOpen: () => true, ...worker }];
  const onFailure = (_queue: string, _message: unknown, error: unknown): void => void failures.push(error);
  const pumps = startPumps({ clock, queues, workers, doorbell, onFailure });
  const send = async (...bodies: unknown[]): Promise<void> => {
    await queues.send(
      'taint-eviction',
      bodies.map((body) => ({ body })),
    );
    doorbell.ring();
  };
  return { queues, doorbell, failures, pumps, send };
};

describe('the pumps of the queues', () => {
  it('give every message to its worker, at most as many at once as it handles', async () => {
    const handled = new Set<unknown>();
    let [now, most] = [0, 0];
    const { send, pumps, queues } = pumping(
      {
        handle: async (body) => {
          now += 1;
          most = Math.max(most, now);
          await turn();
          handled.add(body);
          now -= 1;
        },
      },
      30_000,
    );
    await send(1, 2, 3, 4, 5);
    await until(() => handled.size === 5);
    await pumps.stop();
    expect(handled).toEqual(new Set([1, 2, 3, 4, 5]));
    expect(most).toBe(2);
    expect(queues.nextAt()).toBeUndefined();
  });

  it('deliver a failed message again, until it becomes a dead letter', async () => {
    const { send, pumps, queues, failures } = pumping({
      handle: async () => {
        throw new Error('no');
      },
    });
    await send('poison');
    await until(() => queues.nextAt() === undefined);
    await pumps.stop();
    expect(failures).toHaveLength(2);
    expect(await queues.deadLetters('taint-eviction')).toHaveLength(1);
  });

  it('let other work of the process run between messages that come without an end', async () => {
    const most = 500;
    let handled = 0;
    const { send, pumps } = pumping({
      concurrency: 1,
      handle: async () => {
        handled += 1;
        if (handled < most) await send('next');
      },
    });
    await send('first');
    await turn();
    expect(handled).toBeLessThan(most);
    await until(() => handled === most);
    await pumps.stop();
  });

  it('leave messages in the queue while a worker is closed', async () => {
    let isOpen = false;
    const handled: unknown[] = [];
    const { send, pumps, doorbell } = pumping({
      isOpen: () => isOpen,
      handle: async (body) => void handled.push(body),
    });
    await send('later');
    await turn();
    expect(handled).toEqual([]);
    isOpen = true;
    doorbell.ring();
    await until(() => handled.length === 1);
    await pumps.stop();
  });
});
