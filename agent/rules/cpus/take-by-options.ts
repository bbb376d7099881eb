import type { CpuSet } from './cpu-sets.ts';
import { type CpuTopology, cpusPerCore } from './cpu-topology.ts';
import { takeDistributed } from './distribute-cpus.ts';
import type { CpuOptions } from './policy-options.ts';
import { type CpuWish, type NotTaken, takePacked } from './take-cpus.ts';

/** Takes CPUs as the options of the policy say: packed, or distributed over the NUMA nodes. */
export const takeByOptions = (
  { topology, options }: { readonly topology: CpuTopology; readonly options: CpuOptions },
  available: CpuSet,
  count: number,
): CpuSet | NotTaken => {
  const order = options.has('distribute-cpus-across-cores') ? 'spread' : 'packed';
  const wish: CpuWish = { available, count, order };
  if (!options.has('distribute-cpus-across-numa'))
    return takePacked(topology, wish, options.has('prefer-align-cpus-by-uncorecache'));
  return takeDistributed(topology, wish, options.has('full-pcpus-only') ? cpusPerCore(topology) : 1);
};
