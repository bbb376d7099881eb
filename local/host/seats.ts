/** Seats at which requests are worked on, given out fairly: one flow after another, as Kubernetes' fair queuing does. */
import { tooManyRequests } from '../../shared/api/status-error.ts';
import { createFifo, type Fifo } from './fifo.ts';

export interface SeatsOptions {
  /** How many seats there are. A seat may be anything that requests take some of, such as a byte of memory. */
  readonly seats: number;
  /** Milliseconds after which a request that still waits is refused. */
  readonly waitMs: number;
  /** Milliseconds of a clock that is never set. */
  readonly elapsed: () => number;
  /** Calls back after others, such as requests that just came in, had their turn. */
  readonly nextTurn: (resume: () => void) => void;
  /** A request waited too long. */
  readonly onTimeout: () => void;
}

export interface Seats {
  /**
   * Runs work at a seat, or at `width` of them, at most all but one. Rejects with 429 when the wait was too long, and when
   * `signal` is aborted before.
   */
  run<T>(flow: string, work: () => Promise<T>, signal?: AbortSignal, width?: number): Promise<T>;
  executing(): number;
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
const WAITED = 'the request waited for {} s and others are still before it; please try again later';

type MayHave = (flow: string, width: number) => boolean;

/** Who waits, by flow. The flow that was served last comes last. */
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
     * The next waiter of the first flow that may have one. A flow that may not is being served: it comes last, too. A waiter
     * that does not fit yet keeps its place: narrower ones that came later do not pass it.
     */
    next: (mayHave: MayHave, fits: (width: number) => boolean): Waiter | undefined => {
      for (let left = order.size(); left > 0; left -= 1) {
        const flow = order.at(0) ?? '';
        const width = queues.get(flow)?.at(0)?.width ?? 1;
        const isAllowed = mayHave(flow, width);
        if (isAllowed && !fits(width)) return undefined;
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

/**
 * In each turn of the event loop one request sits down: however many wait, others than these are heard between any two of
 * them. The last seat is kept for another flow than those that are sitting.
 */
export const createSeats = ({ seats, waitMs, elapsed, nextTurn, onTimeout }: SeatsOptions): Seats => {
  const queues = createQueues();
  const executing = createExecuting();
  const mostOfFlow = Math.max(1, seats - 1);
  let isTurnTaken = false;

  const mayHave: MayHave = (flow, width) => executing.of(flow) + width <= mostOfFlow;
  const fits = (width: number): boolean => executing.all() + width <= seats;
  const takeTurn = (): void => {
    isTurnTaken = true;
    nextTurn(() => {
      isTurnTaken = false;
      admitNext();
    });
  };

  const admit = ({ since, signal, start, refuse }: Waiter): void => {
    if (signal?.aborted) refuse(tooManyRequests('the client has gone'));
    else if (elapsed() - since <= waitMs) start();
    else {
      onTimeout();
      refuse(tooManyRequests(WAITED.replace('{}', String(waitMs / 1000)), RETRY_SECONDS));
    }
  };
  const admitNext = (): void => {
    const next = isTurnTaken || executing.all() >= seats ? undefined : queues.next(mayHave, fits);
    if (!next) return;
    takeTurn();
    admit(next);
  };

  const sit = async <T>(flow: string, width: number, work: () => Promise<T>): Promise<T> => {
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
      if (!isTurnTaken && queues.size() === 0 && fits(width) && mayHave(flow, width)) {
        takeTurn();
        return sit(flow, width, work);
      }
      return new Promise<T>((resolve, reject) => {
        const start = (): void => resolve(sit(flow, width, work));
        queues.add(flow, { since: elapsed(), width, signal, start, refuse: reject });
        admitNext();
      });
    },
  };
};
