/** A function or a queue, and what its messages reach next: the queues that a function may send to, the functions that read a queue. */
export interface MessageStop {
  readonly next: Set<MessageStop>;
}

/** Whether a message of this stop may come back to it. */
export const isOnCycle = (stop: MessageStop): boolean => {
  const reached = new Set(stop.next);
  for (const { next } of reached) for (const further of next) reached.add(further);
  return reached.has(stop);
};
