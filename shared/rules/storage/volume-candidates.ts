/** The volumes that a claim can have, laid out by the labels of the nodes that can use them: a node is asked about its own ones only. */

import { ownMember } from '../../kube/json/own-member.ts';
import type { Node } from '../../kube/types/core.ts';
import type { PersistentVolume } from '../../kube/types/storage.ts';
import { quantityMilliValue } from '../../kube/values/quantity.ts';
import { type NodeMatch, nodeSelectorMatch } from '../scheduling/pods/node-selector.ts';

/** A volume, and which nodes can use it. */
export interface UsableVolume {
  readonly volume: PersistentVolume;
  readonly isUsableOn: NodeMatch;
}

/** The volumes that a claim can have. */
export interface Candidates {
  /** The smallest that the node can use, then the first by name, of those that are not taken. */
  bestOn(node: Node, taken: ReadonlySet<PersistentVolume>): PersistentVolume | undefined;
}

/** Reads the node affinity of a volume. A volume without one can be used everywhere. */
export const usable = (volume: PersistentVolume): UsableVolume => {
  const required = volume.spec?.nodeAffinity?.required;
  return { volume, isUsableOn: required ? nodeSelectorMatch(required) : () => true };
};

/** The storage that the volume has, as a quantity. */
export const capacityOf = ({ spec }: PersistentVolume): string => spec?.capacity?.['storage'] ?? '0';

interface Sized extends UsableVolume {
  readonly size: number;
}

const sized = (volume: PersistentVolume): Sized => ({
  ...usable(volume),
  size: quantityMilliValue(capacityOf(volume)),
});

const bySizeThenName = (a: Sized, b: Sized): number =>
  a.size - b.size || (a.volume.metadata.name < b.volume.metadata.name ? -1 : 1);

interface Shelf {
  add(volume: PersistentVolume): void;
  best(isRight: (one: Sized) => boolean): Sized | undefined;
}

/** Volumes are sorted when one is looked for: most shelves belong to nodes that nobody asks about. */
const createShelf = (): Shelf => {
  const volumes: PersistentVolume[] = [];
  let sorted: readonly Sized[] | undefined;
  return {
    add: (volume) => volumes.push(volume),
    best: (isRight) => {
      sorted ??= volumes.map(sized).toSorted(bySizeThenName);
      return sorted.find(isRight);
    },
  };
};

interface Pin {
  readonly key: string;
  readonly values: readonly string[];
}

/** A label that each node has that can use the volume, with one of these values; `undefined`: there may be none. */
const pinOf = ({ spec }: PersistentVolume): Pin | undefined => {
  const { nodeSelectorTerms: [term, ...others] = [] } = spec?.nodeAffinity?.required ?? {};
  if (others.length > 0) return undefined;
  const pin = term?.matchExpressions?.find(({ operator }) => operator === 'In');
  return pin && { key: pin.key ?? '', values: pin.values ?? [] };
};

/** Lays out volumes, all of which suit the claim. */
export const createCandidates = (volumes: readonly PersistentVolume[]): Candidates => {
  const anywhere = createShelf();
  const pinned = new Map<string, Map<string, Shelf>>();
  const shelvesAt = (key: string, values: readonly string[]): readonly Shelf[] => {
    const byValue = pinned.get(key) ?? new Map<string, Shelf>();
    pinned.set(key, byValue);
    return [...new Set(values)].map((value) => {
      const shelf = byValue.get(value) ?? createShelf();
      byValue.set(value, shelf);
      return shelf;
    });
  };
  for (const volume of volumes) {
    const pin = pinOf(volume);
    for (const shelf of pin ? shelvesAt(pin.key, pin.values) : [anywhere]) shelf.add(volume);
  }
  return {
    bestOn: (node, taken) => {
      const isRight = ({ volume, isUsableOn }: Sized): boolean => !taken.has(volume) && isUsableOn(node);
      const own = [...pinned].map(([key, byValue]) =>
        byValue.get(ownMember(node.metadata.labels, key) ?? ''),
      );
      const best = [anywhere, ...own].flatMap((shelf) => shelf?.best(isRight) ?? []);
      return best.toSorted(bySizeThenName)[0]?.volume;
    },
  };
};
