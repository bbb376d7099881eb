/** Events that wait for sinks, in the table `control`: one partition for each sink, in the order of their instants. */
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { chunksOf } from '../../../kube/values/chunks-of.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import type { Notice, Outbox } from '../../../ports/store/outbox.ts';
import type { LifecycleEvent } from '../../../rules/notifications/lifecycle-event.ts';
import { type NewNotice, noticeOf } from '../../../rules/notifications/notice.ts';
import { firstOfControl } from '../reads/reads.ts';
import type { DynamoDeps } from '../table/client.ts';
import { patiently } from '../table/errors.ts';
import { noticeKey, noticePartition, noticeStoredAt } from '../table/keys.ts';
import { type Item, requiredAttribute, textOf, toTtl } from '../table/packing.ts';
import { CONTROL } from '../table/schema.ts';

/** Writes at the same time. */
const AT_ONCE = 32;

const each = async <T>(
  items: readonly T[],
  write: (item: T, place: number) => Promise<unknown>,
): Promise<void> => {
  const numbered = items.map((item, place) => ({ item, place }));
  for (const some of chunksOf(numbered, AT_ONCE))
    await Promise.all(some.map(({ item, place }) => write(item, place)));
};

const toItem = (sink: string, notice: NewNotice, place: number, expiresAt: EpochMs): Item => ({
  ...noticeKey(sink, notice, place),
  [CONTROL.event]: JSON.stringify(notice.event),
  [CONTROL.expiresAt]: toTtl(expiresAt),
});

const fromItem = (item: Item): Notice => {
  const key = requiredAttribute(textOf(item, CONTROL.sort), CONTROL.sort);
  const event = JSON.parse(requiredAttribute(textOf(item, CONTROL.event), CONTROL.event)) as LifecycleEvent;
  return { ...noticeOf(event, noticeStoredAt(key)), key };
};

/** Stores events for a sink. AP-79. */
const add = (
  deps: DynamoDeps,
  sink: string,
  notices: readonly NewNotice[],
  expiresAt: EpochMs,
): Promise<void> =>
  each(notices, (notice, place) => {
    const Item = toItem(sink, notice, place, expiresAt);
    return patiently(deps, () => deps.client.send(new PutCommand({ TableName: deps.tables.control, Item })));
  });

/** The first events of a sink. AP-80. */
const waiting = async (deps: DynamoDeps, sink: string, most: number): Promise<readonly Notice[]> =>
  (await firstOfControl(deps, noticePartition(sink), most)).map(fromItem);

/** Removes events that were told. AP-81. */
const remove = (deps: DynamoDeps, sink: string, keys: readonly string[]): Promise<void> =>
  each(keys, (sk) => {
    const Key = { pk: noticePartition(sink), sk };
    return patiently(deps, () =>
      deps.client.send(new DeleteCommand({ TableName: deps.tables.control, Key })),
    );
  });

/** The outbox over the table `control`. */
export const createOutboxStore = (deps: DynamoDeps): Outbox => ({
  add: (sink, notices, expiresAt) => add(deps, sink, notices, expiresAt),
  waiting: (sink, most) => waiting(deps, sink, most),
  remove: (sink, keys) => remove(deps, sink, keys),
});
