/** What is known about what a pod stores. What is not known is not zero. */

/** What a folder takes on its disk. */
export interface FolderSize {
  readonly bytes: number;
  readonly inodes: number;
}

/** What one measurement of a pod's folders found. */
export type TreeSizes =
  /** By folder; folders that are not there have no size. */
  | { readonly is: 'measured'; readonly sizes: ReadonlyMap<string, FolderSize> }
  /** The trees do not let themselves be measured: they take too long, or cannot be read. */
  | { readonly is: 'unmeasurable' }
  /** The agent could not measure, whatever the trees are. */
  | { readonly is: 'failed'; readonly fault: string };

/** What is known by now. */
export type PodStorage =
  | Extract<TreeSizes, { is: 'measured' }>
  | { readonly is: 'not measured yet' }
  /** `timesInARow`: measurements since the last one that succeeded; at least 1. */
  | { readonly is: 'unknown'; readonly timesInARow: number };

export const NOT_YET: PodStorage = { is: 'not measured yet' };

/** What is known after a measurement. */
export const storageAfter = (before: PodStorage, found: TreeSizes): PodStorage => {
  switch (found.is) {
    case 'measured':
      return found;
    case 'unmeasurable':
      return { is: 'unknown', timesInARow: before.is === 'unknown' ? before.timesInARow + 1 : 1 };
    case 'failed':
      return before.is === 'unknown' ? before : NOT_YET;
  }
};

/** The size of a folder; `undefined` if it is not known. */
export const sizeIn = (storage: PodStorage, folder: string | undefined): FolderSize | undefined =>
  storage.is === 'measured' && folder !== undefined ? storage.sizes.get(folder) : undefined;
