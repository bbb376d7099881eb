/** Follows messages from the one that is handled to those that are sent meanwhile, and slows down chains that go round too fast. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { EpochMs } from '../../kube/values/time.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { OutgoingMessage, QueueName, WorkQueues } from '../../ports/process/work-queue.ts';
import {
  chainText,
  excessHops,
  type MessageChain,
  nextHop,
  readChain,
  slowedDelay,
} from '../../rules/message-hops.ts';

/** Messages that wait longer than asked, because their chain has too many hops. */
export interface SlowedMessages {
  readonly queue: QueueName;
  readonly count: number;
  readonly hops: number;
  /** How long they wait instead. */
  readonly delaySeconds: number;
}

/** What is known of the message that is handled. */
export interface Handling {
  /** Its chain, as it was sent with it; `undefined`: it was sent without one. */
  readonly chain: string | undefined;
  /** Called with those that are sent while it is handled and are slowed. Does not throw. */
  readonly onSlowed: (slowed: SlowedMessages) => void;
}

const handlings = new AsyncLocalStorage<Handling | undefined>();

/** Runs the handling of a message, or with `undefined` work that belongs to none. Messages that it sends, also later, go on with its chain. */
export const handlingMessage = <T>(handling: Handling | undefined, work: () => T): T =>
  handlings.run(handling, work);

/** What the queues with chains need. */
export interface ChainedQueueDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly queues: WorkQueues;
  /** Called with the chain of each message, and by how many hops it is ahead (up to 0: it is not slowed). */
  readonly onHop?: (chain: MessageChain, excess: number) => void;
}

/** Tells of the messages that wait for `leastSeconds` although less was asked for. */
const report = (
  queue: QueueName,
  messages: readonly OutgoingMessage[],
  { hops }: MessageChain,
  leastSeconds: number,
): void => {
  const isSlowed = ({ isPaced, delaySeconds = 0 }: OutgoingMessage) =>
    !isPaced && delaySeconds < leastSeconds;
  const count = messages.filter(isSlowed).length;
  if (count > 0) handlings.getStore()?.onSlowed({ queue, count, hops, delaySeconds: leastSeconds });
};

/** The message as part of its chain, with the delay that the chain asks for. */
const inChain = (message: OutgoingMessage, chain: MessageChain, now: EpochMs): OutgoingMessage => {
  const { delaySeconds, ...others } = message;
  const seconds = slowedDelay(chain, now, delaySeconds ?? 0);
  const isDelayed = delaySeconds !== undefined || seconds > 0;
  return { ...others, ...(isDelayed ? { delaySeconds: seconds } : {}), chain: chainText(chain) };
};

/** Queues whose messages have the chain that they belong to: all of one call go on with the chain of the message that is handled. */
export const createChainedQueues = ({ clock, queues, onHop }: ChainedQueueDeps): WorkQueues => ({
  send: (queue, messages) => {
    const [now, handling] = [clock.now(), handlings.getStore()];
    const chain = nextHop(handling && readChain(handling.chain, now), now);
    if (!messages.every(({ isPaced }) => isPaced)) onHop?.(chain, excessHops(chain, now));
    report(queue, messages, chain, slowedDelay(chain, now, 0));
    const first = nextHop(undefined, now);
    const chained = (message: OutgoingMessage) => inChain(message, message.isPaced ? first : chain, now);
    return queues.send(queue, messages.map(chained));
  },
});
