/** Converts items of the table `control`: counters, floor samples, the pass, zones and deadlines. */

import { optional } from '../../../kube/values/optional.ts';
import type { Counter, FloorSample, Watermark } from '../../../ports/store/change-log.ts';
import type {
  PassRecord,
  PodDeadline,
  ZonePassWrite,
  ZoneRecord,
} from '../../../ports/store/control-store.ts';
import { deadlineKey, deadlineShard, floorKey } from '../table/keys.ts';
import { type Item, numberOf, packId, requiredAttribute, textOf, toTtl, unpackId } from '../table/packing.ts';
import { CONTROL } from '../table/schema.ts';

const numberIn = (item: Item, name: string): number => requiredAttribute(numberOf(item, name), name);
const textIn = (item: Item, name: string): string => requiredAttribute(textOf(item, name), name);

/** Packs watermarks into a flat list of numbers. It is short, because each change of the resource writes the whole item. */
export const packWatermarks = (watermarks: readonly Watermark[]): readonly number[] =>
  watermarks.flatMap(({ revision, at }) => [revision, at]);

const watermarksIn = (item: Item): readonly Watermark[] => {
  const packed = item[CONTROL.watermarks];
  const numbers = Array.isArray(packed) ? packed.map(Number) : [];
  return numbers.flatMap((revision, n) => {
    const at = numbers[n + 1];
    return n % 2 === 0 && at !== undefined ? [{ revision, at }] : [];
  });
};

/** Reads a counter. Throws if an attribute is missing. */
export const fromCounterItem = (item: Item): Counter => ({
  counter: numberIn(item, CONTROL.counter),
  watermarks: watermarksIn(item),
  seed: numberIn(item, CONTROL.seed),
});

/** The item of a floor sample, which expires at `expiresAt` (ms). */
export const toFloorItem = (resource: string, { minute, counter }: FloorSample, expiresAt: number): Item => ({
  ...floorKey(resource, minute),
  [CONTROL.counter]: counter,
  [CONTROL.expiresAt]: toTtl(expiresAt),
});

/** Reads a floor sample; its minute is the sort key. Throws if an attribute is missing. */
export const fromFloorItem = (item: Item): FloorSample => ({
  minute: Number(textIn(item, CONTROL.sort)),
  counter: numberIn(item, CONTROL.counter),
});

/** Reads the pass. Missing attributes are 0, because each is written by another request. */
export const fromPassItem = (item: Item): PassRecord => ({
  pass: numberOf(item, CONTROL.pass) ?? 0,
  lastTick: numberOf(item, CONTROL.lastTick) ?? 0,
  leaseUntil: numberOf(item, CONTROL.leaseUntil) ?? 0,
  clockFloor: numberOf(item, CONTROL.clockFloor) ?? 0,
  ...optional('aheadFloor', numberOf(item, CONTROL.aheadFloor)),
  floorPass: numberOf(item, CONTROL.floorPass) ?? 0,
  ...optional('completedAt', numberOf(item, CONTROL.completedAt)),
  ...optional('completedNodes', numberOf(item, CONTROL.completedNodes)),
  ...optional('queuedUntil', numberOf(item, CONTROL.queuedUntil)),
  ...optional('calmUntil', numberOf(item, CONTROL.calmUntil)),
  ...optional('counter', numberOf(item, CONTROL.counter)),
  ...optional('counterSince', numberOf(item, CONTROL.counterSince)),
});

/** The values that a pass writes to a zone record, by attribute of the schema. */
export const zoneValues = (zone: ZonePassWrite) => ({
  zoneKey: zone.key,
  state: zone.state,
  size: zone.size,
  notReady: zone.notReady,
  limiterRate: zone.limiter.rate,
  limiterNextAt: zone.limiter.nextAt,
  waiting: zone.waiting,
  waitingCount: zone.waitingCount,
  // Written even if empty: an update leaves what it does not name.
  changedAt: zone.changedAt ?? 0,
  reason: zone.reason ?? '',
  policies: zone.policies ?? '',
  isHeld: zone.isHeld === true,
  heldBack: zone.heldBack ?? 0,
  pass: zone.pass,
  updatedAt: zone.updatedAt,
});

const zoneState = (text: string): ZoneRecord['state'] => {
  switch (text) {
    case 'Initial':
    case 'Normal':
    case 'PartialDisruption':
    case 'FullDisruption':
      return text;
    default:
      throw new Error(`a stored zone has the unknown state "${text}"`);
  }
};

const namesIn = (item: Item, name: string): readonly string[] => {
  const names = item[name];
  return Array.isArray(names) ? names.map(String) : [];
};

const changeIn = (
  item: Item,
): Pick<ZoneRecord, 'changedAt' | 'reason' | 'policies' | 'isHeld' | 'heldBack'> => ({
  ...optional('changedAt', numberOf(item, CONTROL.changedAt) || undefined),
  ...optional('reason', textOf(item, CONTROL.reason) || undefined),
  ...optional('policies', textOf(item, CONTROL.policies) || undefined),
  ...(item[CONTROL.isHeld] === true ? { isHeld: true } : {}),
  ...optional('heldBack', numberOf(item, CONTROL.heldBack) || undefined),
});

/** Reads a zone record. Throws if an attribute is missing or the state is unknown. */
export const fromZoneItem = (item: Item): ZoneRecord => ({
  id: textIn(item, CONTROL.sort),
  key: textIn(item, CONTROL.zoneKey),
  state: zoneState(textIn(item, CONTROL.state)),
  size: numberIn(item, CONTROL.size),
  notReady: numberIn(item, CONTROL.notReady),
  limiter: { rate: numberIn(item, CONTROL.limiterRate), nextAt: numberIn(item, CONTROL.limiterNextAt) },
  waiting: namesIn(item, CONTROL.waiting),
  waitingCount: numberIn(item, CONTROL.waitingCount),
  ...changeIn(item),
  ...optional('wakeAt', numberOf(item, CONTROL.wakeAt)),
  pass: numberIn(item, CONTROL.pass),
  updatedAt: numberIn(item, CONTROL.updatedAt),
});

/** The item of a deadline, which expires at `expiresAt` (ms). */
export const toDeadlineItem = (deadline: PodDeadline, expiresAt: number): Item => ({
  ...deadlineKey(deadline.namespace, deadline.name),
  [CONTROL.namespace]: deadline.namespace,
  [CONTROL.name]: deadline.name,
  [CONTROL.uid]: packId(deadline.uid),
  [CONTROL.nodeName]: deadline.nodeName,
  [CONTROL.startAt]: deadline.start,
  [CONTROL.fireAt]: deadline.fireAt,
  [CONTROL.deadlineShard]: deadlineShard(deadline.namespace, deadline.name),
  [CONTROL.expiresAt]: toTtl(expiresAt),
});

/** Reads a deadline. Throws if an attribute is missing. */
export const fromDeadlineItem = (item: Item): PodDeadline => ({
  namespace: textIn(item, CONTROL.namespace),
  name: textIn(item, CONTROL.name),
  uid: unpackId(item[CONTROL.uid]),
  nodeName: textIn(item, CONTROL.nodeName),
  start: numberIn(item, CONTROL.startAt),
  fireAt: numberIn(item, CONTROL.fireAt),
});
