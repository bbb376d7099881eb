import type { Clock } from '../../shared/ports/process/clock.ts';
import type { QueueConsumer, QueueName, ReceivedMessage } from '../../shared/ports/process/work-queue.ts';
import type { Doorbell } from '../../shared/serving/machine/doorbell.ts';
import type { Loop } from '../../shared/serving/machine/loop.ts';

/** Handles the messages of one queue. On AWS an event source mapping and a function do this. */
export interface Worker {
  readonly queue: QueueName;
  /** Most messages handled at the same time. It may be high: a handler that only waits costs nothing. */
  readonly concurrency: number;
  /** Whether messages may be taken now. Until then they wait in the queue. */
  readonly isOpen: () => boolean;
  /** Handles the parsed body of a message. If it rejects, the message is received again after its visibility timeout. */
  readonly handle: (body: unknown) => Promise<void>;
}

export interface PumpDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly queues: QueueConsumer & { nextAt(): number | undefined };
  readonly workers: readonly Worker[];
  /** Rings when a message was sent. */
  readonly doorbell: Doorbell;
  /** `message` is `undefined` if the queue could not be read. */
  readonly onFailure: (queue: QueueName, message: ReceivedMessage | undefined, error: unknown) => void;
  /** Handles a message with the trace that it carries. Absent: there are no traces. */
  readonly traced?:
    | ((queue: QueueName, trace: string | undefined, work: () => Promise<void>) => Promise<void>)
    | undefined;
}

/** Bounds (ms) of the wait between two reads of the queues; the second one if messages are left. */
const SHORTEST_WAIT_MS = 5;
const BUSY_WAIT_MS = 25;
const LONGEST_WAIT_MS = 1_000;

type InHand = Map<QueueName, Set<Promise<void>>>;

/**
 * Handles and deletes a message. One that fails stays: it is visible again after its timeout, and becomes a dead letter in
 * the end.
 */
const consume = async (
  deps: PumpDeps,
  { queue, handle }: Worker,
  message: ReceivedMessage,
): Promise<void> => {
  try {
    const work = () => handle(JSON.parse(message.body));
    await (deps.traced ? deps.traced(queue, message.trace, work) : work());
    await deps.queues.delete(queue, message.receipt);
  } catch (error) {
    deps.onFailure(queue, message, error);
  }
};

/** Takes as many messages as the worker has room for. Resolves to whether more may be left. */
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

/** Fills all workers. Resolves to whether messages may be left. */
const fillAll = async (deps: PumpDeps, inHand: InHand): Promise<boolean> => {
  let isBusy = false;
  for (const worker of deps.workers) {
    const own = inHand.get(worker.queue) ?? new Set();
    inHand.set(worker.queue, own);
    isBusy = (await fill(deps, worker, own)) || isBusy;
  }
  return isBusy;
};

/**
 * Gives each message to the worker of its queue as soon as it is visible. `stop` takes no further one, and resolves when those in work are done;
 * those that never are, are received again at the next start.
 */
export const startPumps = (given: PumpDeps): Loop => {
  const inHand: InHand = new Map();
  let isStopped = false;
  // Work that is still running after a stop fails because the files are closed: that is no failure to report.
  const onFailure: PumpDeps['onFailure'] = (...failure) => {
    if (!isStopped) given.onFailure(...failure);
  };
  const deps = { ...given, onFailure };
  const turn = async (): Promise<number> => {
    try {
      return waitMs(deps, await fillAll(deps, inHand));
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
    stop: async () => {
      isStopped = true;
      deps.doorbell.ring();
      await running;
      await Promise.all([...inHand.values()].flatMap((own) => [...own]));
    },
  };
};
