/** Pages of a node's work, by size: the answer of a function has a limit, and a single object may be larger than a page. */
import type { ApiObject } from '../../api/meta.ts';
import type { LiveRow } from '../../ports/rows.ts';

/** The lists of a NodeWork, in the order in which pages bring them. */
export const WORK_LISTS = ['pods', 'configMaps', 'secrets'] as const;
/** One of these lists. */
export type WorkList = (typeof WORK_LISTS)[number];

/** All of a node's work: the rows of each list, sorted by namespace and name. */
export type WorkObjects = Readonly<Record<WorkList, readonly LiveRow[]>>;

/** Characters of JSON after which a page ends. */
export const CHARACTERS_PER_PAGE = 1_000_000;

interface Entry {
  readonly list: WorkList;
  /** Its place in the order of all pages. */
  readonly place: string;
  readonly row: LiveRow;
}

/** What one answer shows. */
export interface WorkPage {
  readonly lists: Readonly<Record<WorkList, readonly ApiObject[]>>;
  /** What the page shows: uid and resourceVersion of each object. */
  readonly versions: readonly string[];
  /** The place after which the next page begins; absent on the last page. */
  readonly next?: string;
}

const entriesOf = (objects: WorkObjects): readonly Entry[] =>
  WORK_LISTS.flatMap((list, order) =>
    objects[list].map((row) => ({ list, place: `${order}/${row.key.namespace}/${row.key.name}`, row })),
  );

/** Number of entries that fit, at least one. */
const countFitting = (entries: readonly Entry[], most: number): number => {
  let characters = 0;
  const tooMany = entries.findIndex(({ row }, index) => {
    characters += JSON.stringify(row.object).length;
    return index > 0 && characters > most;
  });
  return tooMany < 0 ? entries.length : tooMany;
};

/**
 * The page that begins after a place. What is added before that place while pages are read is missing, and raises the work revision;
 * what was there all the time is on one of the pages.
 */
export const workPage = (
  objects: WorkObjects,
  after: string | undefined,
  most: number = CHARACTERS_PER_PAGE,
): WorkPage => {
  const left = entriesOf(objects).filter(({ place }) => after === undefined || place > after);
  const shown = left.slice(0, countFitting(left, most));
  const last = shown.at(-1)?.place;
  const of = (wanted: WorkList) => shown.filter(({ list }) => list === wanted).map(({ row }) => row.object);
  return {
    lists: { pods: of('pods'), configMaps: of('configMaps'), secrets: of('secrets') },
    versions: shown.map(({ row }) => `${row.uid}:${row.revision}`),
    ...(shown.length < left.length && last !== undefined ? { next: last } : {}),
  };
};
