import type { OutgoingMessage, WorkQueues } from '../../ports/process/work-queue.ts';
import type { HostileProcess } from './process.ts';
import { writing } from './process.ts';

const copies = ({ chance, rates }: HostileProcess): number => {
  if (chance.hit(rates.loseMessage)) return 0;
  return chance.hit(rates.doubleMessage) ? 2 : 1;
};

/** Wraps queues with faults, for one process: messages are doubled, lost or, each by a different time, late and so out of order. */
export const createHostileWorkQueues = (inner: WorkQueues, process: HostileProcess): WorkQueues => {
  const { chance, rates } = process;
  const copy = ({ delaySeconds = 0, ...message }: OutgoingMessage): OutgoingMessage => ({
    ...message,
    delaySeconds: delaySeconds + chance.upTo(rates.messageDelayMs) / 1000,
  });
  const mangled = (message: OutgoingMessage): readonly OutgoingMessage[] =>
    Array.from({ length: copies(process) }, () => copy(message));
  return { send: (queue, messages) => writing(process, () => inner.send(queue, messages.flatMap(mangled))) };
};
