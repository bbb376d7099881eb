import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { optional } from '../../../kube/values/optional.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import {
  type CompletedPass,
  type ControlStore,
  type PassAndCounter,
  type PassRecord,
  TICK_AHEAD_MS,
} from '../../../ports/store/control-store.ts';
import { CLOCK_SKEW_MS } from '../../../rules/zones/future-instants.ts';
import { fromCounterItem, fromPassItem } from '../items/control-items.ts';
import { rowsByKey } from '../reads/reads.ts';
import type { DynamoDeps } from '../table/client.ts';
import {
  allOf,
  expressions,
  HAS_FLOOR_AS_READ,
  IS_LEASE_FREE,
  IS_NEWER_TICK,
  IS_NO_HIGHER_FLOOR,
  IS_NO_LATER_FLOOR_PASS,
  IS_NO_LATER_PASS,
  IS_SAME_PASS,
  isAsRead,
} from '../table/conditions.ts';
import { conditionally, patiently } from '../table/errors.ts';
import { counterKey, PASS_KEY } from '../table/keys.ts';
import { CONTROL } from '../table/schema.ts';
import { deleteDeadlines, dueDeadlines, readDeadlines, storeDeadlines } from './deadlines.ts';
import { readHoldBook, replaceHoldBook } from './hold-book.ts';
import { readSighting, readSightings, replaceSighting } from './sightings.ts';
import { clearWakeAt, dropZone, moveWakeAt, readZone, readZones, swapLimiter, writeZone } from './zones.ts';

const updatePass = (
  deps: DynamoDeps,
  update: string,
  condition: string,
  values: Readonly<Record<string, number>>,
) => {
  const texts = { UpdateExpression: update, ConditionExpression: condition };
  const command = new UpdateCommand({
    TableName: deps.tables.control,
    Key: PASS_KEY,
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    ...expressions(CONTROL, texts, values),
  });
  return conditionally(deps, () => deps.client.send(command));
};

/** Takes the next pass number and the lease for `leaseMs` milliseconds, or neither. AP-21. */
const startPass = async (
  deps: DynamoDeps,
  tick: EpochMs,
  now: EpochMs,
  leaseMs: number,
): Promise<PassRecord | undefined> => {
  const written = await updatePass(
    deps,
    'SET #pass = if_not_exists(#pass, :zero) + :one, #lastTick = :lastTick, #leaseUntil = :leaseUntil',
    allOf(IS_NEWER_TICK, IS_LEASE_FREE),
    {
      zero: 0,
      one: 1,
      lastTick: tick,
      latestTick: now + TICK_AHEAD_MS,
      leaseUntil: now + leaseMs,
      latestLease: now + leaseMs + CLOCK_SKEW_MS,
      now,
    },
  );
  return written.met ? fromPassItem(written.item) : undefined;
};

/** Releases the lease, and notes what the pass was. AP-22. */
const endPass = async (
  deps: DynamoDeps,
  pass: number,
  now: EpochMs,
  completed?: CompletedPass,
): Promise<void> => {
  const { calm, ...what } = completed ?? {};
  const noted = completed ? ', #completedAt = :at, #completedNodes = :nodes' : '';
  const said = calm ? ', #calmUntil = :calmUntil, #counter = :counter, #counterSince = :counterSince' : '';
  const values = { now, pass, ...what, ...calm };
  await updatePass(deps, `SET #leaseUntil = :now${noted}${said}`, IS_SAME_PASS, values);
};

/** Stores until when ticks are queued. AP-83. */
const noteQueued = async (deps: DynamoDeps, read: EpochMs | undefined, until: EpochMs): Promise<boolean> => {
  const values = { until, ...optional('queuedUntilRead', read) };
  return (await updatePass(deps, 'SET #queuedUntil = :until', isAsRead('queuedUntil', read), values)).met;
};

/** The pass item. AP-23. */
const readPass = async (deps: DynamoDeps): Promise<PassRecord | undefined> => {
  const { Item: item } = await patiently(deps, () =>
    deps.client.send(new GetCommand({ TableName: deps.tables.control, Key: PASS_KEY, ConsistentRead: true })),
  );
  return item && fromPassItem(item);
};

/** The pass item, and the counter of Nodes. AP-84. */
const readPassAndCounter = async (deps: DynamoDeps): Promise<PassAndCounter> => {
  const counterOfNodes = counterKey('nodes');
  const keys = [PASS_KEY, counterOfNodes];
  const items = await rowsByKey(deps, deps.tables.control, keys, { consistent: true });
  const find = ({ pk }: { readonly pk: string }) => items.find((item) => item[CONTROL.partition] === pk);
  const [pass, counter] = [find(PASS_KEY), find(counterOfNodes)];
  return { pass: pass && fromPassItem(pass), counter: counter ? fromCounterItem(counter).counter : 0 };
};

/** Writes the clock floor and the pass number together; a higher stored floor is kept. AP-35. */
const raiseClockFloor = async (deps: DynamoDeps, clockFloor: EpochMs, pass: number): Promise<boolean> => {
  const isNoLater = allOf(IS_NO_LATER_PASS, IS_NO_LATER_FLOOR_PASS);
  const values = { clockFloor, floorPass: pass, pass };
  const raised = await updatePass(
    deps,
    'SET #clockFloor = :clockFloor, #floorPass = :floorPass',
    allOf(isNoLater, IS_NO_HIGHER_FLOOR),
    values,
  );
  if (raised.met) return true;
  const stored = fromPassItem(raised.item ?? {});
  if (stored.clockFloor <= clockFloor) return false;
  return (await updatePass(deps, 'SET #floorPass = :floorPass', isNoLater, values)).met;
};

/** Replaces a clock floor that is ahead of `now`. AP-42. */
const takeBackClockFloor = async (deps: DynamoDeps, read: EpochMs, now: EpochMs): Promise<boolean> => {
  const update = 'SET #clockFloor = :now, #aheadFloor = :read';
  return (await updatePass(deps, update, HAS_FLOOR_AS_READ, { read, now })).met;
};

/** The control store in the table `control`, which also holds the counters of the object store. */
export const createControlStore = (deps: DynamoDeps): ControlStore => ({
  startPass: (tick, now, leaseMs) => startPass(deps, tick, now, leaseMs),
  endPass: (pass, now, completed) => endPass(deps, pass, now, completed),
  noteQueued: (read, until) => noteQueued(deps, read, until),
  readPass: () => readPass(deps),
  readPassAndCounter: () => readPassAndCounter(deps),
  raiseClockFloor: (clockFloor, pass) => raiseClockFloor(deps, clockFloor, pass),
  takeBackClockFloor: (read, now) => takeBackClockFloor(deps, read, now),
  zones: () => readZones(deps),
  zone: (id) => readZone(deps, id),
  writeZone: (zone, readLimiter) => writeZone(deps, zone, readLimiter),
  dropZone: (id, pass) => dropZone(deps, id, pass),
  swapLimiter: (id, read, next) => swapLimiter(deps, id, read, next),
  moveWakeAt: (id, read, next) => moveWakeAt(deps, id, read, next),
  clearWakeAt: (id, read, waiting) => clearWakeAt(deps, id, read, waiting),
  deadlines: (pods) => readDeadlines(deps, pods),
  storeDeadlines: (writes) => storeDeadlines(deps, writes),
  deleteDeadlines: (pods) => deleteDeadlines(deps, pods),
  dueDeadlines: (before) => dueDeadlines(deps, before),
  sighting: (key) => readSighting(deps, key),
  sightings: (topic, prefix) => readSightings(deps, topic, prefix),
  replaceSighting: (key, read, next) => replaceSighting(deps, key, read, next),
  holdBook: () => readHoldBook(deps),
  replaceHoldBook: (read, next) => replaceHoldBook(deps, read, next),
});
