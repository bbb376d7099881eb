/** The claims, volumes and classes that a process knows, found by what they name. */
import type { ApiObject } from '../../shared/kube/types/meta.ts';
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
} from '../../shared/kube/types/storage.ts';
import { classNameOf } from '../../shared/rules/scheduling/pods/storage.ts';
import type { StorageView } from '../../shared/rules/storage/claim-step.ts';
import { defaultClassOf } from '../../shared/rules/storage/default-class.ts';
import { createFreeVolumes } from '../../shared/rules/storage/free-volumes.ts';
import { CLAIM_PROTECTION, isLeaving } from '../../shared/rules/storage/protection.ts';
import { getsReserved } from '../../shared/rules/storage/volume-fit.ts';
import { createGroups } from '../../shared/store/lists/groups.ts';
import type { BoundCount } from './deps.ts';

/** `namespace/name`. */
export const pathOf = ({ metadata: { namespace = '', name } }: ApiObject): string => `${namespace}/${name}`;

/** The path of the claim that the volume refers to. */
export const claimPathOf = ({ spec }: PersistentVolume): string | undefined =>
  spec?.claimRef && `${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}`;

/** Counts objects by their group, as they come and go. */
const createCounts = () => {
  const counts = new Map<string, BoundCount>();
  return {
    all: (): ReadonlyMap<string, BoundCount> => counts,
    change: (group: string, phase: string | undefined, by: 1 | -1): void => {
      const count = counts.get(group) ?? { bound: 0, unbound: 0 };
      count[phase === 'Bound' ? 'bound' : 'unbound'] += by;
      if (count.bound + count.unbound === 0) counts.delete(group);
      else counts.set(group, count);
    },
  };
};

/** Creates the volumes, by name. */
const createVolumes = () => {
  const byName = new Map<string, PersistentVolume>();
  const free = createFreeVolumes();
  const ofClaim = createGroups();
  const counts = createCounts();
  const count = ({ spec, status }: PersistentVolume, by: 1 | -1): void =>
    counts.change(spec?.storageClassName ?? '', status?.phase, by);
  return {
    byName,
    free,
    counts,
    /** Names of volumes, by the path of the claim that they refer to. */
    ofClaim,
    replace: (before: PersistentVolume | undefined, after: PersistentVolume | undefined): void => {
      if (before) {
        free.remove(before);
        ofClaim.remove(claimPathOf(before), before.metadata.name);
        byName.delete(before.metadata.name);
        count(before, -1);
      }
      if (!after) return;
      count(after, 1);
      free.add(after);
      ofClaim.add(claimPathOf(after), after.metadata.name);
      byName.set(after.metadata.name, after);
    },
  };
};

/** Creates the claims, by path. */
const createClaims = () => {
  const byPath = new Map<string, PersistentVolumeClaim>();
  const ofVolume = createGroups();
  const pending = createGroups();
  const leaving = new Set<string>();
  const index = (claim: PersistentVolumeClaim, how: 'add' | 'remove'): void => {
    const { volumeName = '' } = claim.spec ?? {};
    if (isLeaving(claim, CLAIM_PROTECTION)) leaving[how === 'add' ? 'add' : 'delete'](pathOf(claim));
    if (volumeName === '') pending[how](classNameOf(claim), pathOf(claim));
    else ofVolume[how](volumeName, pathOf(claim));
  };
  const counts = createCounts();
  const count = ({ metadata, status }: PersistentVolumeClaim, by: 1 | -1): void =>
    counts.change(metadata.namespace ?? '', status?.phase, by);
  return {
    byPath,
    counts,
    /** Paths of claims, by the volume that they name. */
    ofVolume,
    /** Paths of claims that name no volume, by their class. */
    pending,
    /** Paths of claims that are being deleted, and that pods may use. */
    leaving,
    replace: (before: PersistentVolumeClaim | undefined, after: PersistentVolumeClaim | undefined): void => {
      if (before) {
        index(before, 'remove');
        byPath.delete(pathOf(before));
        count(before, -1);
      }
      if (!after) return;
      count(after, 1);
      index(after, 'add');
      byPath.set(pathOf(after), after);
    },
  };
};

/** Creates the classes, by name. */
const createClasses = () => {
  const byName = new Map<string, StorageClass>();
  let defaultClass: StorageClass | undefined;
  return {
    byName,
    defaultClass: () => defaultClass,
    replace: (before: StorageClass | undefined, after: StorageClass | undefined): void => {
      if (before) byName.delete(before.metadata.name);
      if (after) byName.set(after.metadata.name, after);
      defaultClass = defaultClassOf(byName.values());
    },
  };
};

/** Creates what a process knows before it has read anything. */
export const createKnownStorage = () => {
  const [volumes, claims, classes] = [createVolumes(), createClaims(), createClasses()];
  const view = (isTaken: (volume: PersistentVolume) => boolean): StorageView => ({
    volume: (name) => volumes.byName.get(name),
    reservedFor: (claim) =>
      [...volumes.ofClaim.of(pathOf(claim))]
        .toSorted()
        .map((name) => volumes.byName.get(name))
        .find((volume) => volume !== undefined && getsReserved(volume, claim)),
    smallestFor: (claim) => volumes.free.smallestFor(claim, isTaken),
    storageClass: (name) => classes.byName.get(name),
    defaultClass: classes.defaultClass,
  });
  return { volumes, claims, classes, view };
};
