import type { ControlStore } from '../../ports/control-store.ts';
import type { HostileProcess } from './process.ts';
import { writing } from './process.ts';

/** A `ControlStore` on a bad day, for one process: writes may happen although their answer is lost. */
export const createHostileControlStore = (inner: ControlStore, process: HostileProcess): ControlStore => {
  const { call } = process;
  return {
    startPass: (tick, now, leaseMs) => writing(process, () => inner.startPass(tick, now, leaseMs)),
    endPass: (pass, now) => writing(process, () => inner.endPass(pass, now)),
    readPass: () => call(() => inner.readPass()),
    raiseClockFloor: (clockFloor, pass) => writing(process, () => inner.raiseClockFloor(clockFloor, pass)),
    zones: () => call(() => inner.zones()),
    zone: (id) => call(() => inner.zone(id)),
    writeZone: (zone, readLimiter) => writing(process, () => inner.writeZone(zone, readLimiter)),
    dropZone: (id, pass) => writing(process, () => inner.dropZone(id, pass)),
    swapLimiter: (id, read, next) => writing(process, () => inner.swapLimiter(id, read, next)),
    moveWakeAt: (id, read, next) => writing(process, () => inner.moveWakeAt(id, read, next)),
    clearWakeAt: (id, read, waiting) => writing(process, () => inner.clearWakeAt(id, read, waiting)),
    deadline: (namespace, name) => call(() => inner.deadline(namespace, name)),
    storeDeadline: (deadline, expiresAt) => writing(process, () => inner.storeDeadline(deadline, expiresAt)),
    deleteDeadline: (namespace, name, uid) =>
      writing(process, () => inner.deleteDeadline(namespace, name, uid)),
    dueDeadlines: (before) =>
      // Rows of the index lag: what became due just now may be missing.
      call(() => inner.dueDeadlines(before - process.chance.upTo(process.rates.indexLagMs))),
  };
};
