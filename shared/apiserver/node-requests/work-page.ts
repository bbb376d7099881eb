/** Pages of a node's work, by size: the answer of a function has a limit, and a single object may be larger than a page. */
import type { Pod } from '../../kube/types/core.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { LiveRow, ObjectKey } from '../../ports/store/rows.ts';
import { claimedPods, type ReferredReads, readObjects, referredKeys, storageKeys } from './work-of-node.ts';
import type { WorkPlace } from './work-token.ts';

/** How much one page holds. */
export interface PageLimits {
  /** Characters of JSON after which a page ends. */
  readonly characters: number;
  /** Claims that are looked at. Those of mirror pods and of pods that have gone are work without a result. */
  readonly claims: number;
}

/** Within what a function may answer, with room for one more object of the largest size. */
export const PAGE_LIMITS: PageLimits = { characters: 1_000_000, claims: 500 };

/** What one answer shows. */
export interface WorkPage {
  readonly pods: readonly ApiObject[];
  readonly configMaps: readonly ApiObject[];
  readonly secrets: readonly ApiObject[];
  readonly persistentVolumeClaims: readonly ApiObject[];
  readonly persistentVolumes: readonly ApiObject[];
  readonly runtimeClasses: readonly ApiObject[];
  /** Uid and resourceVersion of each object. */
  readonly versions: readonly string[];
  /** Where the next page begins; absent on the last one. */
  readonly next?: WorkPlace;
}

const LISTS = {
  pods: 'pods',
  configmaps: 'configMaps',
  secrets: 'secrets',
  persistentvolumeclaims: 'persistentVolumeClaims',
  persistentvolumes: 'persistentVolumes',
  runtimeclasses: 'runtimeClasses',
} as const;

const pathOf = ({ resource, namespace, name }: ObjectKey): string => `${resource}/${namespace}/${name}`;

/** The page while it is filled. An object is shown once per page, however many pods refer to it. */
const createDraft = ({ characters: most }: PageLimits) => {
  const shown = new Map<string, LiveRow>();
  let characters = 0;
  const of = (list: string): readonly ApiObject[] =>
    [...shown.values()]
      .filter(({ key }) => LISTS[key.resource as keyof typeof LISTS] === list)
      .map(({ object }) => object);
  return {
    has: (key: ObjectKey): boolean => shown.has(pathOf(key)),
    /** Adds an object, unless the page has others and would become too large. */
    add: (row: LiveRow): boolean => {
      const size = JSON.stringify(row.object).length;
      if (shown.size > 0 && characters + size > most) return false;
      characters += size;
      shown.set(pathOf(row.key), row);
      return true;
    },
    page: (next?: WorkPlace): WorkPage => ({
      pods: of('pods'),
      configMaps: of('configMaps'),
      secrets: of('secrets'),
      persistentVolumeClaims: of('persistentVolumeClaims'),
      persistentVolumes: of('persistentVolumes'),
      runtimeClasses: of('runtimeClasses'),
      versions: [...shown.values()].map(({ uid, revision }) => `${uid}:${revision}`),
      ...(next ? { next } : {}),
    }),
  };
};

type Draft = ReturnType<typeof createDraft>;

/** Adds what a pod refers to, after the object `from`; returns the last object that was added if the page is full. */
const addReferred = async (
  deps: ReferredReads,
  draft: Draft,
  pod: Pod,
  from: string | undefined,
): Promise<string | undefined> => {
  const keys = [...referredKeys(pod), ...(await storageKeys(deps, pod))];
  const start = from === undefined ? 0 : keys.findIndex((key) => pathOf(key) === from) + 1;
  let last = from ?? '';
  for (const row of await readObjects(
    deps,
    keys.slice(start).filter((key) => !draft.has(key)),
  )) {
    if (!draft.add(row)) return last;
    last = pathOf(row.key);
  }
  return undefined;
};

/**
 * The page that begins at a place. A pod comes with all that it refers to, on this page or the next ones. What is added before that place
 * while pages are read is missing, and raises the work revision; what was there all the time is on one of the pages.
 */
export const readWorkPage = async (
  deps: ReferredReads,
  node: string,
  place: WorkPlace | undefined,
  limits: PageLimits = PAGE_LIMITS,
): Promise<WorkPage> => {
  const draft = createDraft(limits);
  let after = place?.after ?? '';
  let claims = 0;
  for await (const { uid, row } of claimedPods(deps, node, after)) {
    if (claims === limits.claims) return draft.page({ after });
    claims += 1;
    const begun = place?.pod === uid ? place.object : undefined;
    if (row && begun === undefined && !draft.add(row)) return draft.page({ after });
    const full = row && (await addReferred(deps, draft, row.object as Pod, begun));
    if (full !== undefined) return draft.page({ after, pod: uid, object: full });
    after = uid;
  }
  return draft.page();
};
