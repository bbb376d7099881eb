import type { ApiObject } from '../../api/meta.ts';
import type { Lister, ListPosition, ListRequest } from '../../state/lists.ts';
import type { ListOptions } from '../list-options.ts';

/** Bytes of JSON after which a page ends: a buffered answer may have 6 MB. */
export const PAGE_BYTES = 5_000_000;

export interface CutPage {
  readonly revision: number;
  readonly objects: readonly ApiObject[];
  readonly next?: ListPosition;
  /** Objects after this page, where that is known without reading them. */
  readonly remaining?: number;
}

const pathOf = ({ metadata }: ApiObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;

interface Room {
  count: number;
  bytes: number;
}

/** As many of `objects` as there is room for; the first one always fits. */
const fitting = (objects: readonly ApiObject[], room: Room): readonly ApiObject[] => {
  const kept: ApiObject[] = [];
  for (const object of objects) {
    room.bytes -= Buffer.byteLength(JSON.stringify(object));
    if (room.count === 0 || (room.bytes < 0 && kept.length > 0)) break;
    room.count -= 1;
    kept.push(object);
  }
  return kept;
};

const isFull = ({ count, bytes }: Room): boolean => count === 0 || bytes <= 0;

/** Rows read at first where any object will do, and at most: what does not fit into the page is read in vain. */
const FIRST_ROWS = 500;
const MOST_ROWS = 2_000;
const GROWTH = 4;
/** Work for one page with a limit: behind so many rows that do not match, or so many reads, it ends short and can be continued. */
const ROWS_PER_PAGE = 20_000;
const READS_PER_PAGE = 32;

const isSpent = (rows: number, reads: number): boolean => rows >= ROWS_PER_PAGE || reads >= READS_PER_PAGE;

/**
 * Lists until the page is full or the end is reached; objects that do not match take no room. Reads grow while they find too
 * little. A page with a limit may have fewer objects than that, or none, and be continued; one without ends by its bytes only.
 */
export const listPage = async (
  lister: Lister,
  request: ListRequest,
  { limit, continueAt, matches }: ListOptions,
): Promise<CutPage> => {
  const room = { count: limit ?? Number.POSITIVE_INFINITY, bytes: PAGE_BYTES };
  const objects: ApiObject[] = [];
  let position = continueAt;
  let rows = Math.min(limit ?? FIRST_ROWS, MOST_ROWS);
  for (let [read, reads] = [0, 1]; ; reads += 1) {
    const at = position ? { continueAt: position } : {};
    const part = await lister.list({ ...request, limit: rows, ...at });
    const matching = part.objects.filter(matches);
    const kept = fitting(matching, room);
    objects.push(...kept);
    const { revision, next } = part;
    const last = kept.at(-1);
    if (last && kept.length < matching.length)
      return { revision, objects, next: { revision, after: pathOf(last) } };
    if (!next) return { revision, objects };
    read += rows;
    if (isFull(room) || (limit !== undefined && isSpent(read, reads))) return { revision, objects, next };
    position = next;
    rows = Math.min(rows * GROWTH, MOST_ROWS);
  }
};
