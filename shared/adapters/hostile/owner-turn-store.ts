import type { OwnerTurnStore } from '../../ports/store/owner-turns.ts';
import type { HostileProcess } from './process.ts';
import { writing } from './process.ts';

/** Wraps an `OwnerTurnStore` with faults, for one process: a write may be carried out although its answer is lost. */
export const createHostileOwnerTurnStore = (
  inner: OwnerTurnStore,
  process: HostileProcess,
): OwnerTurnStore => ({
  begin: (owner, run, now, leaseMs) => writing(process, () => inner.begin(owner, run, now, leaseMs)),
  raise: (turn, now) => writing(process, () => inner.raise(turn, now)),
  renew: (turn, now, leaseMs) => writing(process, () => inner.renew(turn, now, leaseMs)),
  end: (turn) => writing(process, () => inner.end(turn)),
});
