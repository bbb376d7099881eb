/** Free volumes in the order of their capacity, so that the smallest that suits a claim is found without looking at all. */

import type { PersistentVolume, PersistentVolumeClaim } from '../../kube/types/storage.ts';
import { quantityMilliValue } from '../../kube/values/quantity.ts';
import { classNameOf } from '../scheduling/pods/storage.ts';
import { createSortedList, type SortedList } from './sorted-list.ts';
import { capacityOf } from './volume-candidates.ts';
import { includesAll, sizeOf, suits } from './volume-matching.ts';

interface Entry {
  readonly size: number;
  readonly name: string;
  readonly volume?: PersistentVolume;
}

/** Volumes with the same access modes. */
interface Shelf {
  readonly modes: readonly string[];
  /** In the order of capacity, then name. */
  readonly entries: SortedList<Entry>;
  /** The same volumes, by each of their labels, for claims that select by labels. */
  readonly labelled: Map<string, SortedList<Entry>>;
}

/** Volumes that could be bound to whatever suits them. */
export interface FreeVolumes {
  add(volume: PersistentVolume): void;
  remove(volume: PersistentVolume): void;
  /** Of the volumes with the fewest access modes that include those of the claim: the smallest that suits it, then the first by name. */
  smallestFor(
    claim: PersistentVolumeClaim,
    isTaken?: (volume: PersistentVolume) => boolean,
  ): PersistentVolume | undefined;
}

const bySizeThenName = (a: Entry, b: Entry): number => {
  if (a.size !== b.size) return a.size - b.size;
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
};

const newShelf = (modes: readonly string[]): Shelf => ({
  modes,
  entries: createSortedList(bySizeThenName),
  labelled: new Map(),
});

const kindOf = (className: string, mode = 'Filesystem', attributes = ''): string =>
  JSON.stringify([className, mode, attributes]);

const kindOfVolume = ({ spec }: PersistentVolume): string =>
  kindOf(spec?.storageClassName ?? '', spec?.volumeMode, spec?.volumeAttributesClassName);

/** Whether a claim may choose the volume. */
export const isFree = ({ metadata, spec, status }: PersistentVolume): boolean =>
  spec?.claimRef === undefined && status?.phase === 'Available' && metadata.deletionTimestamp === undefined;

const modesOf = ({ spec }: PersistentVolume): readonly string[] => (spec?.accessModes ?? []).toSorted();

const entryOf = (volume: PersistentVolume): Entry => ({
  size: quantityMilliValue(capacityOf(volume)),
  name: volume.metadata.name,
  volume,
});

const pairsOf = (labels: Readonly<Record<string, string>> = {}): readonly string[] =>
  Object.entries(labels).map(([name, value]) => `${name}=${value}`);

const addTo = ({ entries, labelled }: Shelf, entry: Entry): void => {
  entries.add(entry);
  for (const pair of pairsOf(entry.volume?.metadata.labels)) {
    const group = labelled.get(pair) ?? createSortedList(bySizeThenName);
    labelled.set(pair, group);
    group.add(entry);
  }
};

const removeFrom = ({ entries, labelled }: Shelf, entry: Entry): void => {
  entries.remove(entry);
  for (const pair of pairsOf(entry.volume?.metadata.labels)) {
    const group = labelled.get(pair);
    group?.remove(entry);
    if (group?.size() === 0) labelled.delete(pair);
  }
};

const NOTHING: Pick<SortedList<Entry>, 'from' | 'size'> = { from: () => [], size: () => 0 };

/** The fewest volumes of the shelf among which are all that the claim selects. */
const selectedOn = ({ entries, labelled }: Shelf, { spec }: PersistentVolumeClaim): typeof NOTHING =>
  pairsOf(spec?.selector?.matchLabels)
    .map((pair) => labelled.get(pair) ?? NOTHING)
    .reduce<typeof NOTHING>((fewest, group) => (group.size() < fewest.size() ? group : fewest), entries);

/** Creates an index without any volume. Volumes that are not free are left out. */
export const createFreeVolumes = (): FreeVolumes => {
  const kinds = new Map<string, Map<string, Shelf>>();

  const shelfOf = (volume: PersistentVolume): Shelf => {
    const kind = kindOfVolume(volume);
    const shelves = kinds.get(kind) ?? new Map<string, Shelf>();
    kinds.set(kind, shelves);
    const modes = modesOf(volume);
    const shelf = shelves.get(modes.join()) ?? newShelf(modes);
    shelves.set(modes.join(), shelf);
    return shelf;
  };

  return {
    add: (volume) => {
      if (isFree(volume)) addTo(shelfOf(volume), entryOf(volume));
    },
    remove: (volume) => {
      if (isFree(volume)) removeFrom(shelfOf(volume), entryOf(volume));
    },
    smallestFor: (claim, isTaken = () => false) => {
      const { volumeMode, volumeAttributesClassName, accessModes } = claim.spec ?? {};
      const shelves = kinds.get(kindOf(classNameOf(claim), volumeMode, volumeAttributesClassName));
      const size = quantityMilliValue(sizeOf(claim));
      const fitting = [...(shelves?.values() ?? [])].filter(({ modes }) => includesAll(modes, accessModes));
      for (const shelf of fitting.toSorted((a, b) => a.modes.length - b.modes.length))
        for (const { volume } of selectedOn(shelf, claim).from({ size, name: '' }))
          if (volume && !isTaken(volume) && suits(volume, claim)) return volume;
      return undefined;
    },
  };
};
