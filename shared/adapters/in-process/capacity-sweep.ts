/** Repairs of counters, and the record of the sweep, over synchronous tables. */
import type { CapacityOutcome, NodeCounters } from '../../ports/store/capacity.ts';
import type {
  CapacitySweep,
  CapacitySweepStore,
  CountersAndDigest,
  CountersPage,
} from '../../ports/store/capacity-sweep.ts';
import { type CapacityTables, NO_COUNTERS } from './capacity.ts';

/** Nodes of one page. */
const PAGE_NODES = 500;

interface SweepDeps {
  readonly tables: CapacityTables;
  /** Carries out all of `work`'s writes or none; they are durable when it returns. */
  together<T>(work: () => T): T;
}

const countersPage = ({ tables: { counters } }: SweepDeps, after: string): CountersPage => {
  const nodes = counters.after(after, PAGE_NODES);
  const last = nodes.at(-1);
  return { nodes, ...(nodes.length === PAGE_NODES && last ? { next: last.node } : {}) };
};

const replaceCounters = (
  { tables: { counters }, together }: SweepDeps,
  node: string,
  read: NodeCounters,
  next: CountersAndDigest | undefined,
): CapacityOutcome => {
  if ((counters.get(node) ?? NO_COUNTERS).writes !== read.writes) return 'refused';
  together(() => {
    if (next) counters.set(node, { ...next, writes: read.writes + 1 });
    else counters.delete(node);
  });
  return 'written';
};

const store = ({ tables: { sweep }, together }: SweepDeps, next: CapacitySweep): boolean => {
  if ((sweep.get()?.version ?? 0) !== next.version - 1) return false;
  together(() => sweep.set(next));
  return true;
};

/** The store of the sweep over synchronous tables. */
export const createCapacitySweepStore = (deps: SweepDeps): CapacitySweepStore => ({
  allCounters: async (after = '') => countersPage(deps, after),
  replaceCounters: async (node, read, next) => replaceCounters(deps, node, read, next),
  read: async () => deps.tables.sweep.get(),
  store: async (next) => store(deps, next),
});
