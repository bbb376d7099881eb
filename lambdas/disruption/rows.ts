import type { ObjectStore } from '../../shared/ports/object-store.ts';
import type { LiveRow } from '../../shared/ports/rows.ts';

/** Plural name of the resource. */
export const BUDGETS = 'poddisruptionbudgets';

const PAGE = 500;

/** All rows of a resource in a namespace; `''` stands for all namespaces. */
export const allRows = async (
  objects: Pick<ObjectStore, 'page'>,
  resource: string,
  namespace: string,
): Promise<readonly LiveRow[]> => {
  const rows: LiveRow[] = [];
  let after: string | undefined;
  do {
    const page = await objects.page({
      resource,
      namespace,
      limit: PAGE,
      ...(after === undefined ? {} : { after }),
    });
    rows.push(...page.rows);
    after = page.next;
  } while (after !== undefined);
  return rows;
};
