/** Stores one item in `control` for each slot that a holder has used, until its TTL. */
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { EpochMs } from '../../../kube/values/time.ts';
import type { WatchSlots } from '../../../ports/store/watch-slots.ts';
import { controlPartition } from '../reads/reads.ts';
import type { DynamoDeps } from '../table/client.ts';
import { expressions, IS_LEASE_AS_TAKEN, IS_SLOT_FREE } from '../table/conditions.ts';
import { conditionally } from '../table/errors.ts';
import { watchSlotKey, watchSlotPartition } from '../table/keys.ts';
import { numberOf, textOf, toTtl } from '../table/packing.ts';
import { CONTROL } from '../table/schema.ts';

/** Reads which slots are free. Another watch may take them in the meantime. AP-36. */
const freeSlots = async (
  deps: DynamoDeps,
  holder: string,
  count: number,
  now: EpochMs,
): Promise<readonly number[]> => {
  const items = await controlPartition(deps, watchSlotPartition(holder));
  const taken = items.filter((item) => (numberOf(item, CONTROL.leaseUntil) ?? 0) > now);
  const numbers = new Set(taken.map((item) => Number(textOf(item, CONTROL.sort))));
  return Array.from({ length: count }, (_, slot) => slot).filter((slot) => !numbers.has(slot));
};

/** Takes a slot, unless another watch took it first. AP-37. */
const takeSlot = async (
  deps: DynamoDeps,
  key: ReturnType<typeof watchSlotKey>,
  now: EpochMs,
  until: EpochMs,
): Promise<boolean> => {
  const command = new PutCommand({
    TableName: deps.tables.control,
    Item: { ...key, [CONTROL.leaseUntil]: until, [CONTROL.expiresAt]: toTtl(until) },
    ...expressions(CONTROL, { ConditionExpression: IS_SLOT_FREE }, { now }),
  });
  return (await conditionally(deps, () => deps.client.send(command))).met;
};

/** Frees a slot, unless another watch has taken it since. AP-38. */
const freeSlot = async (
  deps: DynamoDeps,
  key: ReturnType<typeof watchSlotKey>,
  now: EpochMs,
  until: EpochMs,
): Promise<void> => {
  const texts = {
    UpdateExpression: 'SET #leaseUntil = :now',
    ConditionExpression: IS_LEASE_AS_TAKEN,
  };
  const command = new UpdateCommand({
    TableName: deps.tables.control,
    Key: key,
    ...expressions(CONTROL, texts, { now, until }),
  });
  await conditionally(deps, () => deps.client.send(command));
};

/** Watch slots in the table `control`. */
export const createWatchSlots = (deps: DynamoDeps): WatchSlots => ({
  take: async (holder, count, now, until) => {
    for (const slot of await freeSlots(deps, holder, count, now))
      if (await takeSlot(deps, watchSlotKey(holder, slot), now, until)) return slot;
    return undefined;
  },
  release: (holder, slot, now, until) => freeSlot(deps, watchSlotKey(holder, slot), now, until),
});
