import type { Clock } from '../../shared/ports/clock.ts';
import type { QueueConsumer, QueueName, ReceivedMessage } from '../../shared/ports/work-queue.ts';
import type { Doorbell } from '../serving/doorbell.ts';

/** Who takes the messages of one queue: what an event source mapping and a function are on Lambda. */
export interface Worker {
  readonly queue: QueueName;
  /** Messages handled at the same time. A worker that waits for an instant costs nothing, so this may be high. */
  readonly concurrency: number;
  /** Whether messages may be taken at present; those that come meanwhile wait in the queue. */
  readonly isOpen: () => boolean;
  readonly handle: (body: unknown) => Promise<void>;
}

export interface PumpDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly queues: QueueConsumer & { nextAt(): number | undefined };
  readonly workers: readonly Worker[];
  readonly doorbell: Doorbell;
  readonly onFailure: (queue: QueueName, message: ReceivedMessage | undefined, error: unknown) => void;
}

export interface Pumps {
  /** No further message is taken; resolves when those in hand are done, or after `withinMs`: they come again at the next start. */
  stop(withinMs: number): Promise<void>;
}

/** Bounds (ms) of the wait between two looks at the queues. */
const SHORTEST_WAIT_MS = 5;
const BUSY_WAIT_MS = 25;
const LONGEST_WAIT_MS = 1_000;

type InHand = Map<QueueName, Set<Promise<void>>>;

/** A message that fails stays where it is: it is visible again after its time-out, and in the end a dead letter. */
const consume = async (
  deps: PumpDeps,
  { queue, handle }: Worker,
  message: ReceivedMessage,
): Promise<void> => {
  try {
    await handle(JSON.parse(message.body));
    await deps.queues.delete(queue, message.receipt);
  } catch (error) {
    deps.onFailure(queue, message, error);
  }
};

/** Takes what there is room for. Returns whether messages may be left. */
const fill = async (deps: PumpDeps, worker: Worker, inHand: Set<Promise<void>>): Promise<boolean> => {
  const room = worker.concurrency - inHand.size;
  if (room <= 0 || !worker.isOpen()) return true;
  const messages = await deps.queues.receive(worker.queue, room);
  for (const message of messages) {
    const work = consume(deps, worker, message).finally(() => {
      inHand.delete(work);
      if (inHand.size === worker.concurrency - 1) deps.doorbell.ring();
    });
    inHand.add(work);
  }
  return messages.length === room;
};

const waitMs = ({ clock, queues }: PumpDeps, isBusy: boolean): number => {
  const nextAt = queues.nextAt() ?? Number.POSITIVE_INFINITY;
  const shortest = isBusy ? BUSY_WAIT_MS : SHORTEST_WAIT_MS;
  return Math.min(LONGEST_WAIT_MS, Math.max(shortest, nextAt - clock.now()));
};

const lookAtAll = async (deps: PumpDeps, inHand: InHand): Promise<boolean> => {
  let isBusy = false;
  for (const worker of deps.workers) {
    const own = inHand.get(worker.queue) ?? new Set();
    inHand.set(worker.queue, own);
    isBusy = (await fill(deps, worker, own)) || isBusy;
  }
  return isBusy;
};

/** Hands the messages of all queues to their workers, each as soon as it is visible. */
export const startPumps = (given: PumpDeps): Pumps => {
  const inHand: InHand = new Map();
  let isStopped = false;
  // What is given up at the stop fails for want of files, which is nobody's fault.
  const onFailure: PumpDeps['onFailure'] = (...failure) => {
    if (!isStopped) given.onFailure(...failure);
  };
  const deps = { ...given, onFailure };
  const turn = async (): Promise<number> => {
    try {
      return waitMs(deps, await lookAtAll(deps, inHand));
    } catch (error) {
      const [first] = deps.workers;
      if (first) deps.onFailure(first.queue, undefined, error);
      return LONGEST_WAIT_MS;
    }
  };
  const run = async (): Promise<void> => {
    while (!isStopped) await deps.doorbell.wait(await turn());
  };
  const running = run();
  return {
    stop: async (withinMs) => {
      isStopped = true;
      deps.doorbell.ring();
      await running;
      const rest = [...inHand.values()].flatMap((own) => [...own]);
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, withinMs);
      await Promise.race([Promise.all(rest), late]);
      clearTimeout(timer);
    },
  };
};
