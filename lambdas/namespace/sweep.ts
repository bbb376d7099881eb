/** Looks at all namespaces: finds what lost messages left, and those whose looks have ended. */

import { NAMESPACES } from '../../shared/kube/types/well-known.ts';
import { type EpochMs, parseTime, toTime } from '../../shared/kube/values/time.ts';
import { type LiveRow, namespaceKey } from '../../shared/ports/store/rows.ts';
import { bearNamespace } from '../../shared/store/writer/namespace-birth.ts';
import type { NamespaceDeps } from './deps.ts';
import type { NamespaceMessage } from './message.ts';
import { NAMESPACE_QUEUE } from './queue.ts';
import { MOST_LOOKS } from './reconcile.ts';

const PAGE = 500;
/** Milliseconds after the deletion for which the messages have the looks for themselves. */
const LEFT_TO_MESSAGES_MS = 60_000;

const isDue = ({ object: { metadata } }: LiveRow, now: EpochMs): boolean => {
  const age = now - (parseTime(metadata.deletionTimestamp ?? toTime(now)) ?? now);
  // A deletion in the future began before the clock was set back.
  return metadata.deletionTimestamp !== undefined && (age < 0 || age >= LEFT_TO_MESSAGES_MS);
};

/** One look each, without those that would follow: the next sweep is a minute away. */
const messageOf = ({ key: { name }, uid }: LiveRow): NamespaceMessage => ({
  v: 1,
  name,
  uid,
  looks: MOST_LOOKS,
});

/** A process may have died between the removal of a built-in namespace and its return. */
const bearBuiltIn = async (deps: NamespaceDeps): Promise<void> => {
  for (const name of NAMESPACES)
    if ((await deps.objects.read(namespaceKey(name)))?.state === 'marker') await bearNamespace(name, deps);
};

/** Queues a look at each namespace that has been going for a minute. */
export const sweep = async (deps: NamespaceDeps): Promise<undefined> => {
  await bearBuiltIn(deps);
  let after: string | undefined;
  do {
    const from = after === undefined ? {} : { after };
    const page = await deps.objects.page({ resource: 'namespaces', namespace: '', limit: PAGE, ...from });
    const due = page.rows.filter((row) => isDue(row, deps.clock.now()));
    if (due.length > 0)
      await deps.queues.send(
        NAMESPACE_QUEUE.name,
        due.map((row) => ({ body: messageOf(row) })),
      );
    after = page.next;
  } while (after !== undefined);
};
