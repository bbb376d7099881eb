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

const requestAt = (
  request: ListRequest,
  limit: number | undefined,
  position: ListPosition | undefined,
): ListRequest => ({
  ...request,
  ...(limit === undefined ? {} : { limit }),
  ...(position ? { continueAt: position } : {}),
});

/** Lists until the page is full or the end is reached; objects that do not match take no room. */
export const listPage = async (
  lister: Lister,
  request: ListRequest,
  options: ListOptions,
): Promise<CutPage> => {
  const room = { count: options.limit ?? Number.POSITIVE_INFINITY, bytes: PAGE_BYTES };
  const objects: ApiObject[] = [];
  for (let position = options.continueAt; ; ) {
    const { revision, next, objects: read } = await lister.list(requestAt(request, options.limit, position));
    const matching = read.filter(options.matches);
    const kept = fitting(matching, room);
    objects.push(...kept);
    const last = objects.at(-1);
    if (last && kept.length < matching.length)
      return { revision, objects, next: { revision, after: pathOf(last) } };
    if (!next) return { revision, objects };
    if (isFull(room)) return { revision, objects, next };
    position = next;
  }
};
