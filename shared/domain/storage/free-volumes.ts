/** Free volumes in the order of their capacity, so that the smallest that suits a claim is found without looking at all. */
import { quantityMilliValue } from '../../api/quantity.ts';
import type { PersistentVolume } from '../../api/validation/persistent-volume.ts';
import type { PersistentVolumeClaim } from '../../api/validation/volume-claim.ts';
import { classNameOf } from '../scheduling/storage.ts';
import { capacityOf, includesAll, sizeOf, suits } from '../scheduling/volume-matching.ts';

interface Entry {
  readonly size: number;
  readonly volume: PersistentVolume;
}

/** Volumes with the same access modes. */
interface Shelf {
  readonly modes: readonly string[];
  /** In the order of capacity, then name. */
  readonly entries: Entry[];
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

const isBehind = (entry: Entry, size: number, name: string): boolean =>
  entry.size > size || (entry.size === size && entry.volume.metadata.name >= name);

/** Index of the first entry that is not before this size and name. */
const placeOf = (entries: readonly Entry[], size: number, name: string): number => {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = entries[middle];
    if (entry && isBehind(entry, size, name)) high = middle;
    else low = middle + 1;
  }
  return low;
};

const kindOf = (className: string, mode = 'Filesystem', attributes = ''): string =>
  JSON.stringify([className, mode, attributes]);

const kindOfVolume = ({ spec }: PersistentVolume): string =>
  kindOf(spec?.storageClassName ?? '', spec?.volumeMode, spec?.volumeAttributesClassName);

const isFree = ({ metadata, spec, status }: PersistentVolume): boolean =>
  spec?.claimRef === undefined && status?.phase === 'Available' && metadata.deletionTimestamp === undefined;

const modesOf = ({ spec }: PersistentVolume): readonly string[] => (spec?.accessModes ?? []).toSorted();

/** Creates an index without any volume. Volumes that are not free are left out. */
export const createFreeVolumes = (): FreeVolumes => {
  const kinds = new Map<string, Map<string, Shelf>>();

  const shelfOf = (volume: PersistentVolume): Shelf => {
    const kind = kindOfVolume(volume);
    const shelves = kinds.get(kind) ?? new Map<string, Shelf>();
    kinds.set(kind, shelves);
    const modes = modesOf(volume);
    const shelf = shelves.get(modes.join()) ?? { modes, entries: [] };
    shelves.set(modes.join(), shelf);
    return shelf;
  };
  const sizeIn = (volume: PersistentVolume): number => quantityMilliValue(capacityOf(volume));

  return {
    add: (volume) => {
      if (!isFree(volume)) return;
      const { entries } = shelfOf(volume);
      const size = sizeIn(volume);
      entries.splice(placeOf(entries, size, volume.metadata.name), 0, { size, volume });
    },
    remove: (volume) => {
      if (!isFree(volume)) return;
      const { entries } = shelfOf(volume);
      const { name } = volume.metadata;
      const place = placeOf(entries, sizeIn(volume), name);
      if (entries[place]?.volume.metadata.name === name) entries.splice(place, 1);
    },
    smallestFor: (claim, isTaken = () => false) => {
      const { volumeMode, volumeAttributesClassName, accessModes } = claim.spec ?? {};
      const shelves = kinds.get(kindOf(classNameOf(claim), volumeMode, volumeAttributesClassName));
      const size = quantityMilliValue(sizeOf(claim));
      const fitting = [...(shelves?.values() ?? [])].filter(({ modes }) => includesAll(modes, accessModes));
      for (const { entries } of fitting.toSorted((a, b) => a.modes.length - b.modes.length))
        for (let place = placeOf(entries, size, ''); place < entries.length; place += 1) {
          const volume = entries[place]?.volume;
          if (volume && !isTaken(volume) && suits(volume, claim)) return volume;
        }
      return undefined;
    },
  };
};
