import { jsonBytes } from '../../kube/json/json-bytes.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { Lister, ListPosition, ListRequest } from '../../store/lists/lists.ts';
import type { Pause } from '../contract/in-turns.ts';
import type { ListOptions } from '../request/list-options.ts';

/** Bytes of JSON after which a page ends: a buffered Lambda response may have 6 MB. */
export const PAGE_BYTES = 5_000_000;

/** A page of a list, cut to what the answer holds. */
export interface CutPage {
  readonly revision: number;
  readonly objects: readonly ApiObject[];
  readonly next?: ListPosition;
  /** Number of objects after this page, if the store can count them without reading them. */
  readonly remaining?: number;
}

const pathOf = ({ metadata }: ApiObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;

interface Room {
  count: number;
  bytes: number;
}

/** The first of `objects`, as many as there is room for, and at least one. */
const fitting = (objects: readonly ApiObject[], room: Room): readonly ApiObject[] => {
  const kept: ApiObject[] = [];
  for (const object of objects) {
    room.bytes -= jsonBytes(object);
    if (room.count === 0 || (room.bytes < 0 && kept.length > 0)) break;
    room.count -= 1;
    kept.push(object);
  }
  return kept;
};

const isFull = ({ count, bytes }: Room): boolean => count === 0 || bytes <= 0;

/** Rows of the first read of a page without a limit. Rows that do not fit into the page are read in vain. */
const FIRST_ROWS = 500;
/** Most rows of one read. */
const MOST_ROWS = 2_000;
/** Each read that finds too few objects is followed by one of this many times its rows. */
const GROWTH = 4;
/** Work limits for one page with a `limit`: after so many rows or reads the page ends short and can be continued. */
const ROWS_PER_PAGE = 20_000;
const READS_PER_PAGE = 32;

const isSpent = (rows: number, reads: number): boolean => rows >= ROWS_PER_PAGE || reads >= READS_PER_PAGE;

interface Wanted extends ListRequest {
  readonly matches: ListOptions['matches'];
}

interface Part {
  readonly revision: number;
  readonly kept: readonly ApiObject[];
  readonly next?: ListPosition;
  readonly remaining?: number;
  /** Whether objects that match were cut off for lack of room. */
  readonly isCut: boolean;
}

/** One read, cut to the room that is left. */
const readPart = async (lister: Lister, { matches, ...request }: Wanted, room: Room): Promise<Part> => {
  const { revision, objects, next, remaining } = await lister.list(request);
  const matching = objects.filter(matches);
  const kept = fitting(matching, room);
  const unread = matching.length - kept.length;
  const last = kept.at(-1);
  const isCut = unread > 0 && last !== undefined;
  const end = isCut ? { revision, after: pathOf(last) } : next;
  const counted = request.counts ? (remaining ?? (next ? undefined : 0)) : undefined;
  return {
    revision,
    kept,
    isCut,
    ...(end ? { next: end } : {}),
    ...(counted === undefined ? {} : { remaining: counted + unread }),
  };
};

/** What lists are read with. Without `pause` reads follow each other in one turn of the event loop. */
export interface PageDeps {
  readonly lister: Lister;
  readonly pause?: Pause;
}

/**
 * Lists until the page is full or the end is reached; objects that do not match take no room. Reads grow while
 * they find too few matches. A page with a limit may have fewer objects than its limit, or none, and still be
 * continued; one without a limit ends only by its bytes. The read that may fill the page counts the objects after
 * it.
 */
export const listPage = async (
  { lister, pause }: PageDeps,
  request: ListRequest,
  { limit, continueAt, matches, selectsAll }: ListOptions,
): Promise<CutPage> => {
  const room = { count: limit ?? Number.POSITIVE_INFINITY, bytes: PAGE_BYTES };
  const objects: ApiObject[] = [];
  let position = continueAt;
  let rows = Math.min(limit ?? FIRST_ROWS, MOST_ROWS);
  for (let [read, reads] = [0, 1]; ; reads += 1) {
    const at = position ? { continueAt: position } : {};
    const counts = selectsAll && room.count <= rows;
    const part = await readPart(lister, { ...request, matches, limit: rows, counts, ...at }, room);
    const { kept, isCut, ...rest } = part;
    objects.push(...kept);
    if (!rest.next) return { revision: rest.revision, objects };
    read += rows;
    if (isCut || isFull(room) || (limit !== undefined && isSpent(read, reads))) return { objects, ...rest };
    await pause?.();
    position = rest.next;
    rows = Math.min(rows * GROWTH, MOST_ROWS);
  }
};
