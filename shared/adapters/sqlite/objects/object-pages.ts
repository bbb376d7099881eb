/** Pages of the objects of a resource, in the order of their paths. */
import { optional } from '../../../kube/values/optional.ts';
import {
  CHARACTERS_PER_READ,
  MOST_COUNTED,
  type ObjectStore,
  type Page,
  type PageQuery,
} from '../../../ports/store/object-store.ts';
import type { Row } from '../../../ports/store/rows.ts';
import type { Database } from '../file/database.ts';
import { isLive } from '../file/rows.ts';
import { inParts } from '../file/turns.ts';
import type { StoredRow } from '../memory/stored-row.ts';
import { LIVE_IN_RANGE, type LiveResources } from './live-resources.ts';

/** Above every name: names are ASCII. */
const AFTER_ALL = '\u{10FFFF}';

interface PageRow {
  readonly path: string;
  readonly row: Row;
  /** Characters that were parsed for it now. */
  readonly characters: number;
  /** Characters of its JSON. */
  readonly size: number;
}

/** The range of paths that a query asks for, without its ends. `0` is the character after the slash. */
const rangeOf = ({ namespace, after = '' }: PageQuery): { readonly after: string; readonly end: string } => {
  if (namespace === '') return { after, end: AFTER_ALL };
  return { after: after < `${namespace}/` ? `${namespace}/` : after, end: `${namespace}0` };
};

/** Rows of a page, and whether it ended before its range did. */
interface PagePart {
  readonly found: readonly PageRow[];
  readonly isFull: boolean;
}

/** Reads the rows of a page. Without a limit it reads all, otherwise at most about `CHARACTERS_PER_READ`. */
const readPageRows = async (
  read: (behind: string, wanted: number) => Iterable<PageRow>,
  after: string,
  limit: number | undefined,
): Promise<PagePart> => {
  const found: PageRow[] = [];
  let left = limit === undefined ? Number.POSITIVE_INFINITY : CHARACTERS_PER_READ;
  for await (const rows of inParts(read, { after, ...optional('limit', limit) })) {
    found.push(...rows);
    left -= rows.reduce((sum, { size }) => sum + size, 0);
    if (left <= 0) break;
  }
  return { found, isFull: found.length === limit || left <= 0 };
};

/** A row for a list, from memory or from the file. */
export type ListedRow = (resource: string, path: string) => StoredRow | undefined;

function* pageRows(
  listed: ListedRow,
  resource: string,
  paths: Iterable<{ readonly path: string }>,
): Generator<PageRow> {
  for (const { path } of paths) {
    const stored = listed(resource, path);
    if (!stored) continue;
    const [characters, size] = [stored.unparsed(), stored.characters];
    yield { path, row: stored.row(), characters, size };
  }
}

export const createPages = (
  objects: Database,
  { mayHave }: LiveResources,
  listed: ListedRow,
): Pick<ObjectStore, 'page'> => {
  const paths = objects.prepare<{ path: string }>(`SELECT path FROM ${LIVE_IN_RANGE} ORDER BY path LIMIT ?`);
  const count = objects.prepare<{ behind: number }>(
    `SELECT count(*) AS behind FROM (SELECT 1 FROM ${LIVE_IN_RANGE} LIMIT ?)`,
  );
  return {
    page: async (query): Promise<Page> => {
      const { resource, limit, counts } = query;
      if (!mayHave(resource)) return { rows: [] };
      const { after, end } = rangeOf(query);
      const read = (behind: string, wanted: number) =>
        pageRows(listed, resource, paths.iterate(resource, behind, end, wanted));
      const { found, isFull } = await readPageRows(read, after, limit);
      const rows = found.map(({ row }) => row).filter(isLive);
      const last = found.at(-1)?.path ?? after;
      const most = counts ? MOST_COUNTED + 1 : 1;
      const behind = isFull ? (count.get(resource, last, end, most)?.behind ?? 0) : 0;
      if (behind === 0) return { rows };
      return { rows, next: last, ...(counts && behind < most ? { behind } : {}) };
    },
  };
};
