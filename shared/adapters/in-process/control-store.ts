import {
  type AbsenceBook,
  type CompletedPass,
  type ControlStore,
  type DeadlineWrite,
  type PassRecord,
  type PodDeadline,
  type PodName,
  type Sighting,
  type SightingKey,
  TICK_AHEAD_MS,
  type ZonePassWrite,
} from '../../ports/store/control-store.ts';
import { eventual } from '../../ports/store/eventual.ts';
import type { HoldBook } from '../../rules/holds/hold-book.ts';
import { CLOCK_SKEW_MS } from '../../rules/zones/future-instants.ts';
import type { Limiter } from '../../rules/zones/rate-limiter.ts';
import type { ControlTables } from './tables.ts';

const NO_PASS: PassRecord = { pass: 0, lastTick: 0, leaseUntil: 0, clockFloor: 0, floorPass: 0 };

const startPass = (
  tables: ControlTables,
  tick: number,
  now: number,
  leaseMs: number,
): PassRecord | undefined => {
  const stored = tables.pass ?? NO_PASS;
  const isOldTick = tick <= stored.lastTick && stored.lastTick <= now + TICK_AHEAD_MS;
  const isHeld = stored.leaseUntil > now && stored.leaseUntil <= now + leaseMs + CLOCK_SKEW_MS;
  if (isOldTick || isHeld) return undefined;
  tables.pass = { ...stored, pass: stored.pass + 1, lastTick: tick, leaseUntil: now + leaseMs };
  return tables.pass;
};

const endPass = (tables: ControlTables, pass: number, now: number, completed?: CompletedPass): void => {
  if (tables.pass?.pass !== pass) return;
  const noted = completed && {
    completedAt: completed.at,
    completedNodes: completed.nodes,
    ...completed.calm,
  };
  tables.pass = { ...tables.pass, leaseUntil: now, ...noted };
};

const noteQueued = (tables: ControlTables, read: number | undefined, until: number): boolean => {
  const stored = tables.pass ?? NO_PASS;
  if (stored.queuedUntil !== read) return false;
  tables.pass = { ...stored, queuedUntil: until };
  return true;
};

const raiseClockFloor = (tables: ControlTables, clockFloor: number, pass: number): boolean => {
  const stored = tables.pass ?? NO_PASS;
  if (stored.pass > pass || stored.floorPass > pass) return false;
  tables.pass = { ...stored, clockFloor: Math.max(stored.clockFloor, clockFloor), floorPass: pass };
  return true;
};

const takeBackClockFloor = (tables: ControlTables, read: number, now: number): boolean => {
  const stored = tables.pass;
  if (stored?.clockFloor !== read) return false;
  tables.pass = { ...stored, clockFloor: now, aheadFloor: read };
  return true;
};

const sameLimiter = (a: Limiter | undefined, b: Limiter | undefined): boolean =>
  a?.rate === b?.rate && a?.nextAt === b?.nextAt;

const writeZone = (
  { zones }: ControlTables,
  zone: ZonePassWrite,
  readLimiter: Limiter | undefined,
): boolean => {
  const stored = zones.get(zone.id);
  if ((stored && stored.pass >= zone.pass) || !sameLimiter(stored?.limiter, readLimiter)) return false;
  zones.set(zone.id, { ...zone, ...(stored?.wakeAt === undefined ? {} : { wakeAt: stored.wakeAt }) });
  return true;
};

const dropZone = ({ zones }: ControlTables, id: string, pass: number): void => {
  const stored = zones.get(id);
  if (stored && stored.pass <= pass) zones.delete(id);
};

const swapLimiter = ({ zones }: ControlTables, id: string, read: Limiter, next: Limiter): boolean => {
  const stored = zones.get(id);
  if (!stored || stored.limiter.rate <= 0 || !sameLimiter(stored.limiter, read)) return false;
  zones.set(id, { ...stored, limiter: next });
  return true;
};

const moveWakeAt = (
  { zones }: ControlTables,
  id: string,
  read: number | undefined,
  next: number,
): boolean => {
  const stored = zones.get(id);
  if (!stored || stored.wakeAt !== read) return false;
  zones.set(id, { ...stored, wakeAt: next });
  return true;
};

const clearWakeAt = (
  { zones }: ControlTables,
  id: string,
  read: number,
  waiting: readonly string[],
): boolean => {
  const stored = zones.get(id);
  if (stored?.wakeAt !== read || JSON.stringify(stored.waiting) !== JSON.stringify(waiting)) return false;
  const { wakeAt: _wakeAt, ...rest } = stored;
  zones.set(id, rest);
  return true;
};

const deadlinePath = ({ namespace, name }: PodName): string => `${namespace}/${name}`;

const isReplaced = (stored: PodDeadline, { deadline, replaces }: DeadlineWrite): boolean =>
  stored.uid !== deadline.uid || (stored.start === replaces?.start && stored.fireAt === replaces.fireAt);

const storeDeadline = ({ deadlines }: ControlTables, write: DeadlineWrite): PodDeadline => {
  const path = deadlinePath(write.deadline);
  const stored = deadlines.get(path);
  if (stored && !isReplaced(stored, write)) return stored;
  deadlines.set(path, write.deadline, write.expiresAt);
  return write.deadline;
};

const deleteDeadline = ({ deadlines }: ControlTables, pod: PodName & Pick<PodDeadline, 'uid'>): void => {
  const path = deadlinePath(pod);
  if (deadlines.get(path)?.uid === pod.uid) deadlines.delete(path);
};

const isSame = (a: Sighting | undefined, b: Sighting | undefined): boolean =>
  a?.uid === b?.uid && a?.since === b?.since;

const replaceSighting = (
  { sightings }: ControlTables,
  key: SightingKey,
  read: Sighting | undefined,
  next: Sighting | undefined,
): boolean => {
  if (!isSame(sightings.get(key), read)) return false;
  if (next) sightings.set(next);
  else sightings.delete(key);
  return true;
};

const replaceHoldBook = (tables: ControlTables, read: number, next: HoldBook): boolean => {
  if ((tables.holds?.epoch ?? 0) !== read) return false;
  tables.holds = next;
  return true;
};

/** The control store with its conditional writes, over synchronous tables. */
export const createControlStore = (tables: ControlTables): ControlStore => ({
  startPass: async (tick, now, leaseMs) => startPass(tables, tick, now, leaseMs),
  endPass: async (pass, now, completed) => endPass(tables, pass, now, completed),
  noteQueued: async (read, until) => noteQueued(tables, read, until),
  readPass: async () => tables.pass,
  readPassAndCounter: async () => ({ pass: tables.pass, counter: tables.counter() }),
  raiseClockFloor: async (clockFloor, pass) => raiseClockFloor(tables, clockFloor, pass),
  takeBackClockFloor: async (read, now) => takeBackClockFloor(tables, read, now),
  zones: async () => [...tables.zones.values()],
  zone: async (id) => tables.zones.get(id),
  writeZone: async (zone, readLimiter) => writeZone(tables, zone, readLimiter),
  dropZone: async (id, pass) => dropZone(tables, id, pass),
  swapLimiter: async (id, read, next) => swapLimiter(tables, id, read, next),
  moveWakeAt: async (id, read, next) => moveWakeAt(tables, id, read, next),
  clearWakeAt: async (id, read, waiting) => clearWakeAt(tables, id, read, waiting),
  deadlines: async (pods) => pods.map((pod) => tables.deadlines.get(deadlinePath(pod))),
  storeDeadlines: async (writes) =>
    tables.together(() => writes.map((write) => storeDeadline(tables, write))),
  deleteDeadlines: async (pods) =>
    tables.together(() => {
      for (const pod of pods) deleteDeadline(tables, pod);
    }),
  dueDeadlines: async (before) => eventual(tables.deadlines.due(before)),
  sighting: async (key) => tables.sightings.get(key),
  sightings: async (topic, prefix = '') => tables.sightings.of(topic, prefix),
  replaceSighting: async (key, read, next) => replaceSighting(tables, key, read, next),
  holdBook: async () => tables.holds,
  replaceHoldBook: async (read, next) => replaceHoldBook(tables, read, next),
});

/** The absences of a host, in the record of its passes. */
export const createAbsenceBook = (tables: Pick<ControlTables, 'pass'>): AbsenceBook => ({
  absences: () => tables.pass?.absences ?? [],
  recordAbsences: (absences) => {
    tables.pass = { ...(tables.pass ?? NO_PASS), absences };
  },
});
