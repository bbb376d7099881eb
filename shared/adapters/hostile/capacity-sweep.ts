import type { CapacitySweepStore } from '../../ports/store/capacity-sweep.ts';
import { isolated, type SharedHistory } from './object-store.ts';
import { type HostileProcess, inDoubt, writing } from './process.ts';

/** Wraps a `CapacitySweepStore` with faults, for one process. It does only what DynamoDB may do, too. */
export const createHostileCapacitySweepStore = (
  inner: CapacitySweepStore,
  shared: SharedHistory,
  process: HostileProcess,
): CapacitySweepStore => {
  const { call } = process;
  return {
    allCounters: (after) => call(() => inner.allCounters(after)),
    replaceCounters: (node, read, next) =>
      inDoubt(process, () =>
        isolated(shared, process, [`counters/${node}`], () => inner.replaceCounters(node, read, next)),
      ),
    read: () => call(() => inner.read()),
    store: (next) => writing(process, () => inner.store(next)),
  };
};
