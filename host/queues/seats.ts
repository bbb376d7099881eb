/**
 * Limits how many requests execute at a time. Each takes a seat; flows get free seats in turn, as in Kubernetes' fair queuing.
 */
import { tooManyRequests } from '../../shared/kube/errors/status-error.ts';
import { createFifo, type Fifo } from '../folder/fifo.ts';

/** The event loop, and its time. */
export interface EventLoop {
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
  /** Calls `resume` in a later turn of the event loop, after other events such as new requests. */
  readonly nextTurn: (resume: () => void) => void;
  /** Calls `resume` in the same turn, when what was started has run until it waits for an event. */
  readonly afterStart: (resume: () => void) => void;
}

export interface SeatsOptions extends EventLoop {
  /** Number of seats. A seat stands for anything that requests use, such as a byte of memory. */
  readonly seats: number;
  /** How many of them one flow may have; by default all but one. */
  readonly seatsOfFlow?: number;
  /** Milliseconds after which a request that still waits is refused. */
  readonly waitMs: number;
  /** Called when a request has waited too long. */
  readonly onTimeout: () => void;
}

/** The seats of one priority level. */
export interface Seats {
  /**
   * Runs `work` when a seat, or `width` seats, are free. `width` must be less than all seats. Rejects with 429 if the
   * wait is too long, or if `signal` is aborted before.
   */
  run<T>(flow: string, work: () => Promise<T>, signal?: AbortSignal, width?: number): Promise<T>;
  /** Number of seats that are taken. */
  executing(): number;
  /** Number of requests that wait for a seat. */
  waiting(): number;
}

interface Waiter {
  readonly since: number;
  readonly width: number;
  readonly signal: AbortSignal | undefined;
  readonly start: () => void;
  readonly refuse: (error: Error) => void;
}

const RETRY_SECONDS = 1;
const WAITED = 'the request has waited for {} s and it is still not its turn; please try again later';

type MayHave = (flow: string, waiter: Waiter) => boolean;

/** Waiting requests by flow. The flow that was served last comes last. */
const createQueues = () => {
  const queues = new Map<string, Fifo<Waiter>>();
  const order = createFifo<string>();
  let size = 0;
  const takeFrom = (flow: string): Waiter | undefined => {
    const queue = queues.get(flow);
    const waiter = queue?.take();
    if (queue && queue.size() > 0) order.push(flow);
    else queues.delete(flow);
    size -= 1;
    return waiter;
  };
  return {
    size: () => size,
    add: (flow: string, waiter: Waiter): void => {
      const queue = queues.get(flow) ?? createFifo<Waiter>();
      if (queue.size() === 0) order.push(flow);
      queues.set(flow, queue);
      queue.push(waiter);
      size += 1;
    },
    /**
     * Takes the next request of the first flow for which `mayHave` is true. Flows for which it is false move to the end. A
     * request that does not fit yet stays first: later ones that need fewer seats do not overtake it.
     */
    next: (mayHave: MayHave, fits: (waiter: Waiter) => boolean): Waiter | undefined => {
      for (let left = order.size(); left > 0; left -= 1) {
        const flow = order.at(0) ?? '';
        const head = queues.get(flow)?.at(0);
        const isAllowed = head !== undefined && mayHave(flow, head);
        if (isAllowed && !fits(head)) return undefined;
        order.take();
        if (isAllowed) return takeFrom(flow);
        order.push(flow);
      }
      return undefined;
    },
  };
};

/** How many seats are taken: in all, and by each flow. */
const createExecuting = () => {
  const ofFlow = new Map<string, number>();
  let all = 0;
  return {
    all: () => all,
    of: (flow: string): number => ofFlow.get(flow) ?? 0,
    count: (flow: string, by: number): void => {
      const left = (ofFlow.get(flow) ?? 0) + by;
      all += by;
      if (left > 0) ofFlow.set(flow, left);
      else ofFlow.delete(flow);
    },
  };
};

/** Requests start in one turn of the event loop until they have used so much of it: a heartbeat may have to wait so long. */
const TURN_MS = 5;
/** Most requests that start in one turn. */
const STARTS_OF_TURN = 16;

/** Whether more requests may start in this turn of the event loop. */
const createTurn = ({ elapsed, nextTurn }: EventLoop, onNext: () => void) => {
  let starts = 0;
  let since = 0;
  return {
    hasTime: (): boolean => starts === 0 || (starts < STARTS_OF_TURN && elapsed() - since < TURN_MS),
    start: (): void => {
      starts += 1;
      if (starts > 1) return;
      since = elapsed();
      nextTurn(() => {
        starts = 0;
        onNext();
      });
    },
  };
};

/**
 * Requests start until their turn of the event loop is used up, so that a group of commits has those of several requests, and other
 * events are handled in between. One flow never has all seats: some are left for other flows.
 */
export const createSeats = ({
  seats,
  seatsOfFlow = seats - 1,
  waitMs,
  onTimeout,
  ...loop
}: SeatsOptions): Seats => {
  const queues = createQueues();
  const executing = createExecuting();
  const mostOfFlow = Math.max(1, seatsOfFlow);
  const { elapsed, afterStart } = loop;
  const turn = createTurn(loop, () => admitNext());
  let isPlanned = false;

  const isLate = ({ since }: Waiter): boolean => elapsed() - since > waitMs;
  // A request that will be refused needs no seats: others must not wait until there are enough for it.
  const isOver = (waiter: Waiter): boolean => waiter.signal?.aborted === true || isLate(waiter);
  const mayHave = (flow: string, width: number): boolean => executing.of(flow) + width <= mostOfFlow;
  const fits = (width: number): boolean => executing.all() + width <= seats;
  const takeNext = (): Waiter | undefined =>
    queues.next(
      (flow, waiter) => isOver(waiter) || mayHave(flow, waiter.width),
      (waiter) => isOver(waiter) || fits(waiter.width),
    );
  const admit = (waiter: Waiter): void => {
    if (waiter.signal?.aborted) waiter.refuse(tooManyRequests('the client has gone'));
    else if (isLate(waiter)) {
      onTimeout();
      waiter.refuse(tooManyRequests(WAITED.replace('{}', String(waitMs / 1000)), RETRY_SECONDS));
    } else waiter.start();
  };
  const admitNext = (): void => {
    const next = !turn.hasTime() || executing.all() >= seats ? undefined : takeNext();
    if (!next) return;
    turn.start();
    admit(next);
    planNext();
  };
  /** The next one starts when this one has used its time, so that the time of a turn is known. */
  const planNext = (): void => {
    if (isPlanned || queues.size() === 0) return;
    isPlanned = true;
    afterStart(() => {
      isPlanned = false;
      admitNext();
    });
  };

  const execute = async <T>(flow: string, width: number, work: () => Promise<T>): Promise<T> => {
    executing.count(flow, width);
    try {
      return await work();
    } finally {
      executing.count(flow, -width);
      admitNext();
    }
  };

  return {
    executing: executing.all,
    waiting: queues.size,
    run: <T>(flow: string, work: () => Promise<T>, signal?: AbortSignal, width = 1): Promise<T> => {
      if (turn.hasTime() && queues.size() === 0 && fits(width) && mayHave(flow, width)) {
        turn.start();
        return execute(flow, width, work);
      }
      return new Promise<T>((resolve, reject) => {
        const start = (): void => resolve(execute(flow, width, work));
        queues.add(flow, { since: elapsed(), width, signal, start, refuse: reject });
        admitNext();
      });
    },
  };
};
