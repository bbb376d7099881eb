/** Whether a sweep over all claims and counters has ended since they are kept. */
import type { CapacitySweepStore } from '../../ports/store/capacity-sweep.ts';
import type { ObjectStore } from '../../ports/store/object-store.ts';

/** What the question needs. */
export interface ReconciledDeps {
  readonly objects: Pick<ObjectStore, 'page'>;
  readonly capacitySweep: Pick<CapacitySweepStore, 'read'>;
}

/**
 * Whether everything that takes room is counted. Before that, a bind of ours could exceed a node, because pods that are older than
 * the claims have none. Where there is no Node at all, nothing can be older; so the scheduler asks again while it is told `false`,
 * and while it has seen no Node. Costs one read of 1 RRU, and a page of one Node before the first sweep has ended.
 */
export const isCapacityReconciled = async ({ objects, capacitySweep }: ReconciledDeps): Promise<boolean> => {
  if ((await capacitySweep.read())?.isReconciled === true) return true;
  const { rows, next } = await objects.page({ resource: 'nodes', namespace: '', limit: 1 });
  return rows.length === 0 && next === undefined;
};
