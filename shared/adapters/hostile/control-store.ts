import type { ControlStore } from '../../ports/store/control-store.ts';
import type { HostileProcess } from './process.ts';
import { writing } from './process.ts';

const inTwo = async <T, R>(
  process: HostileProcess,
  items: readonly T[],
  write: (items: readonly T[]) => Promise<readonly R[]>,
): Promise<readonly R[]> => {
  const first = Math.floor(process.chance.upTo(items.length));
  const results = [];
  for (const some of [items.slice(0, first), items.slice(first)])
    if (some.length > 0) results.push(...(await writing(process, () => write(some))));
  return results;
};

/** Wraps a `ControlStore` with faults, for one process: a write may be carried out although its answer is lost. */
export const createHostileControlStore = (inner: ControlStore, process: HostileProcess): ControlStore => {
  const { call } = process;
  return {
    startPass: (tick, now, leaseMs) => writing(process, () => inner.startPass(tick, now, leaseMs)),
    endPass: (pass, now, completed) => writing(process, () => inner.endPass(pass, now, completed)),
    noteQueued: (read, until) => writing(process, () => inner.noteQueued(read, until)),
    readPass: () => call(() => inner.readPass()),
    readPassAndCounter: () => call(() => inner.readPassAndCounter()),
    raiseClockFloor: (clockFloor, pass) => writing(process, () => inner.raiseClockFloor(clockFloor, pass)),
    takeBackClockFloor: (read, now) => writing(process, () => inner.takeBackClockFloor(read, now)),
    zones: () => call(() => inner.zones()),
    zone: (id) => call(() => inner.zone(id)),
    writeZone: (zone, readLimiter) => writing(process, () => inner.writeZone(zone, readLimiter)),
    dropZone: (id, pass) => writing(process, () => inner.dropZone(id, pass)),
    swapLimiter: (id, read, next) => writing(process, () => inner.swapLimiter(id, read, next)),
    moveWakeAt: (id, read, next) => writing(process, () => inner.moveWakeAt(id, read, next)),
    clearWakeAt: (id, read, waiting) => writing(process, () => inner.clearWakeAt(id, read, waiting)),
    deadlines: (pods) => call(() => inner.deadlines(pods)),
    // A batch may be written in part before an answer is lost or the process dies.
    storeDeadlines: (writes) => inTwo(process, writes, (some) => inner.storeDeadlines(some)),
    deleteDeadlines: async (pods) => {
      await inTwo(process, pods, async (some) => {
        await inner.deleteDeadlines(some);
        return [];
      });
    },
    sighting: (key) => call(() => inner.sighting(key)),
    sightings: (topic, prefix) => call(() => inner.sightings(topic, prefix)),
    replaceSighting: (key, read, next) => writing(process, () => inner.replaceSighting(key, read, next)),
    holdBook: () => call(() => inner.holdBook()),
    replaceHoldBook: (read, next) => writing(process, () => inner.replaceHoldBook(read, next)),
    dueDeadlines: (before) =>
      // The rows of the index lag, so a deadline that has just become due may be missing.
      call(() => inner.dueDeadlines(before - process.chance.upTo(process.rates.indexLagMs))),
  };
};
