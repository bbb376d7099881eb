import type { ObjectStore } from '../../ports/store/object-store.ts';
import type { LiveRow } from '../../ports/store/rows.ts';

/** Rows of one page. */
const PAGE_ROWS = 500;

/** The rows of a resource in a namespace, page by page; `''` stands for all namespaces. */
export async function* rowsIn(
  objects: Pick<ObjectStore, 'page'>,
  resource: string,
  namespace: string,
): AsyncGenerator<LiveRow> {
  for (let after: string | undefined; ; ) {
    const from = after === undefined ? {} : { after };
    const { rows, next } = await objects.page({ resource, namespace, limit: PAGE_ROWS, ...from });
    yield* rows;
    if (next === undefined) return;
    after = next;
  }
}
