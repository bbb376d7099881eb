import type { NamespaceDeps, NamespaceReport } from './deps.ts';
import { lookAt } from './look.ts';
import type { NamespaceMessage } from './message.ts';
import { NAMESPACE_QUEUE } from './queue.ts';

/**
 * Milliseconds after which a look begins no further deletion, and sends a message to go on. It then ends before its function times out,
 * and before the host's queue delivers the message again.
 */
const LOOK_MS = 10_000;
/**
 * Looks after which only the sweep looks again, so that a message that was delivered twice does not double the looks for as long as
 * something holds the namespace.
 */
export const MOST_LOOKS = 40;

/** Looks at a namespace that is being deleted, and sends the message again for the next look. Throws if it could not be read. */
export const reconcile = async (
  deps: NamespaceDeps,
  { name, uid, looks = 0, failures = 0 }: NamespaceMessage,
): Promise<NamespaceReport> => {
  const until = deps.clock.now() + LOOK_MS;
  const look = await lookAt(deps, { name, uid }, { until, failures });
  const { deleted, errors, isFinished, againSeconds, isUnfinished } = look;
  if (againSeconds !== undefined && (isUnfinished || looks < MOST_LOOKS)) {
    const counts = {
      looks: isUnfinished ? looks : looks + 1,
      failures: errors.length > 0 ? failures + 1 : 0,
    };
    const body: NamespaceMessage = { v: 1, name, uid, ...counts };
    await deps.queues.send(NAMESPACE_QUEUE.name, [{ body, delaySeconds: againSeconds }]);
  }
  return { deleted, errors, finished: isFinished ? 1 : 0 };
};
