import { type DisruptionDeps, type DisruptionReport, reconcile } from './reconcile.ts';
import { allRows, BUDGETS } from './rows.ts';

/** Evaluates all budgets, so that a lost message delays a status by a quarter of an hour at most. */
export const sweep = async (deps: DisruptionDeps): Promise<DisruptionReport> => {
  const rows = await allRows(deps.objects, BUDGETS, '');
  let [budgets, written] = [0, 0];
  for (const namespace of new Set(rows.map(({ key }) => key.namespace))) {
    const report = await reconcile(deps, { v: 1, namespace, look: 2 });
    budgets += report.budgets;
    written += report.written;
  }
  return { budgets, written };
};
