/** Reads and writes zone records: the results of the monitor's passes, and the limiter and wake-up, which eviction workers also write. */
import { DeleteCommand, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { EpochMs } from '../../../kube/values/time.ts';
import type { ZonePassWrite, ZoneRecord } from '../../../ports/store/control-store.ts';
import type { Limiter } from '../../../rules/zones/rate-limiter.ts';
import { fromZoneItem, zoneValues } from '../items/control-items.ts';
import { controlPartition } from '../reads/reads.ts';
import type { DynamoDeps } from '../table/client.ts';
import {
  allOf,
  expressions,
  GRANTS_TOKENS,
  HAS_LIMITER_AS_READ,
  HAS_NAMES_AS_READ,
  HAS_NO_WAKE_UP,
  HAS_WAKE_UP_AS_READ,
  IS_EMPTY,
  IS_NO_LATER_PASS,
  IS_OF_LOWER_PASS,
  IS_THERE,
  setEach,
} from '../table/conditions.ts';
import { conditionally, patiently } from '../table/errors.ts';
import { ZONE_PARTITION, zoneKey } from '../table/keys.ts';
import { CONTROL } from '../table/schema.ts';

/** Reads all zones. AP-24. */
export const readZones = async (deps: DynamoDeps): Promise<readonly ZoneRecord[]> => {
  const items = await controlPartition(deps, ZONE_PARTITION);
  return items.map(fromZoneItem);
};

/** Reads one zone. AP-25. */
export const readZone = async (deps: DynamoDeps, id: string): Promise<ZoneRecord | undefined> => {
  const { Item: item } = await patiently(deps, () =>
    deps.client.send(
      new GetCommand({ TableName: deps.tables.control, Key: zoneKey(id), ConsistentRead: true }),
    ),
  );
  return item && fromZoneItem(item);
};

interface ZoneUpdate {
  readonly update: string;
  readonly condition: string;
  readonly values: Readonly<Record<string, unknown>>;
}

const updateZone = async (
  deps: DynamoDeps,
  id: string,
  { update, condition, values }: ZoneUpdate,
): Promise<boolean> => {
  const texts = { UpdateExpression: update, ConditionExpression: condition };
  const command = new UpdateCommand({
    TableName: deps.tables.control,
    Key: zoneKey(id),
    ...expressions(CONTROL, texts, values),
  });
  const { met } = await conditionally(deps, () => deps.client.send(command));
  return met;
};

const readLimiterValues = (limiter: Limiter | undefined) => ({
  readRate: limiter?.rate,
  readNextAt: limiter?.nextAt,
});

/** Writes the result of a pass, without the wake-up. AP-26. */
export const writeZone = (
  deps: DynamoDeps,
  zone: ZonePassWrite,
  readLimiter: Limiter | undefined,
): Promise<boolean> => {
  const values = zoneValues(zone);
  return updateZone(deps, zone.id, {
    update: setEach(Object.keys(values)),
    condition: readLimiter ? allOf(IS_OF_LOWER_PASS, HAS_LIMITER_AS_READ) : IS_EMPTY,
    values: { ...values, ...readLimiterValues(readLimiter) },
  });
};

/** Deletes the record of a zone without nodes. AP-27. */
export const dropZone = async (deps: DynamoDeps, id: string, pass: number): Promise<void> => {
  const command = new DeleteCommand({
    TableName: deps.tables.control,
    Key: zoneKey(id),
    ...expressions(CONTROL, { ConditionExpression: IS_NO_LATER_PASS }, { pass }),
  });
  await conditionally(deps, () => deps.client.send(command));
};

/** Takes a token of the limiter. Of two workers that have read the same limiter, only one succeeds. AP-28. */
export const swapLimiter = (deps: DynamoDeps, id: string, read: Limiter, next: Limiter): Promise<boolean> =>
  updateZone(deps, id, {
    update: 'SET #limiterRate = :limiterRate, #limiterNextAt = :limiterNextAt',
    condition: allOf(HAS_LIMITER_AS_READ, GRANTS_TOKENS),
    values: { ...readLimiterValues(read), zero: 0, limiterRate: next.rate, limiterNextAt: next.nextAt },
  });

/** Moves the instant of the wake-up; the caller that succeeds sends the message. AP-29. */
export const moveWakeAt = (
  deps: DynamoDeps,
  id: string,
  read: EpochMs | undefined,
  next: EpochMs,
): Promise<boolean> =>
  updateZone(deps, id, {
    update: 'SET #wakeAt = :wakeAt',
    condition: allOf(IS_THERE, read === undefined ? HAS_NO_WAKE_UP : HAS_WAKE_UP_AS_READ),
    values: { read, wakeAt: next },
  });

/** Clears the wake-up, unless the monitor has changed the waiting names. AP-34. */
export const clearWakeAt = (
  deps: DynamoDeps,
  id: string,
  read: EpochMs,
  waiting: readonly string[],
): Promise<boolean> =>
  updateZone(deps, id, {
    update: 'REMOVE #wakeAt',
    condition: allOf(HAS_WAKE_UP_AS_READ, HAS_NAMES_AS_READ),
    values: { read, waiting },
  });
