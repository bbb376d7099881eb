import { rowsIn } from '../../shared/store/lists/row-pages.ts';
import { BUDGETS, type DisruptionDeps, type DisruptionReport, reconcile } from './reconcile.ts';

/** Evaluates all budgets, so that a lost message delays a status by a quarter of an hour at most. */
export const sweep = async (deps: DisruptionDeps): Promise<DisruptionReport> => {
  const namespaces = await Array.fromAsync(rowsIn(deps.objects, BUDGETS, ''), ({ key }) => key.namespace);
  let [budgets, written] = [0, 0];
  for (const namespace of new Set(namespaces)) {
    const report = await reconcile(deps, { v: 1, namespace, look: 2 });
    budgets += report.budgets;
    written += report.written;
  }
  return { budgets, written };
};
