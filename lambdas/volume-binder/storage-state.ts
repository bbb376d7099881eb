/** What a process knows of storage, and what of it is to be looked at. It is derived: a new process reads it again. */
import type { ApiObject } from '../../shared/kube/types/meta.ts';
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
} from '../../shared/kube/types/storage.ts';
import type { StorageView } from '../../shared/rules/storage/claim-step.ts';
import { namesClass } from '../../shared/rules/storage/default-class.ts';
import { isFree } from '../../shared/rules/storage/free-volumes.ts';
import type { FollowedChange } from '../../shared/store/lists/follower.ts';
import type { BindingCounts } from './deps.ts';
import { claimPathOf, createKnownStorage, pathOf } from './known-storage.ts';

/** The claims and volumes to look at. */
export interface Due {
  readonly volumes: readonly PersistentVolume[];
  readonly claims: readonly PersistentVolumeClaim[];
}

export interface StorageState {
  /** Takes over a change. What it may concern is due from then on. */
  apply(change: FollowedChange): void;
  /** Takes up to `most` objects that are due; claims only when no volume is, so that they find those that have just become free. */
  take(most: number): Due;
  hasDue(): boolean;
  /** Makes an object due again. */
  retry(object: ApiObject): void;
  retryAll(): void;
  /** Makes the claims due that are being deleted: they may not be in use any more. */
  retryLeaving(): void;
  /** What is in the place that the volume refers to. */
  claimOf(volume: PersistentVolume): PersistentVolumeClaim | undefined;
  view(isTaken: (volume: PersistentVolume) => boolean): StorageView;
  counts(): BindingCounts;
}

type Known = ReturnType<typeof createKnownStorage>;

/** Names of volumes and paths of claims. */
interface DuePaths {
  readonly volumes: Set<string>;
  readonly claims: Set<string>;
  /** Classes whose pending claims are all due: they are looked up once, however many volumes have become free. */
  readonly classes: Set<string>;
}

const addAll = (set: Set<string>, paths: Iterable<string>): void => {
  for (const path of paths) set.add(path);
};

const takeFrom = <T>(due: Set<string>, known: ReadonlyMap<string, T>, most: number): readonly T[] => {
  const taken: T[] = [];
  for (const path of due) {
    if (taken.length >= most) break;
    due.delete(path);
    const object = known.get(path);
    if (object) taken.push(object);
  }
  return taken;
};

/** The claim that a volume refers to, those that name it, and, if it is free, those that wait for one of its class. */
const noteVolume = (
  { claims }: Known,
  due: DuePaths,
  before: PersistentVolume | undefined,
  after: PersistentVolume | undefined,
): void => {
  for (const volume of [before, after]) {
    const referred = volume && claimPathOf(volume);
    if (referred !== undefined) due.claims.add(referred);
    if (volume) addAll(due.claims, claims.ofVolume.of(volume.metadata.name));
  }
  if (!after) return;
  due.volumes.add(after.metadata.name);
  if (isFree(after)) due.classes.add(after.spec?.storageClassName ?? '');
};

/** The claim, the volumes that refer to it, and the one that it names. */
const noteClaim = (
  { volumes }: Known,
  due: DuePaths,
  before: PersistentVolumeClaim | undefined,
  after: PersistentVolumeClaim | undefined,
): void => {
  for (const claim of [before, after]) {
    if (!claim) continue;
    addAll(due.volumes, volumes.ofClaim.of(pathOf(claim)));
    if (claim.spec?.volumeName) due.volumes.add(claim.spec.volumeName);
  }
  if (after) due.claims.add(pathOf(after));
};

/** The claims that wait for a volume of the class, and those that get the default class. */
const noteClass = ({ claims }: Known, due: DuePaths, { metadata }: StorageClass): void => {
  due.classes.add(metadata.name);
  for (const path of claims.pending.of('')) {
    const claim = claims.byPath.get(path);
    if (claim && !namesClass(claim)) due.claims.add(path);
  }
};

const apply = (known: Known, due: DuePaths, { before, after }: FollowedChange): void => {
  const object = after ?? before;
  if (object?.kind === 'PersistentVolume') {
    known.volumes.replace(before, after);
    noteVolume(known, due, before, after);
  } else if (object?.kind === 'PersistentVolumeClaim') {
    known.claims.replace(before, after);
    noteClaim(known, due, before, after);
  } else if (object?.kind === 'StorageClass') {
    known.classes.replace(before, after);
    noteClass(known, due, object);
  }
};

const takeClaims = ({ claims }: Known, due: DuePaths, most: number): readonly PersistentVolumeClaim[] => {
  for (const name of due.classes) addAll(due.claims, claims.pending.of(name));
  due.classes.clear();
  return takeFrom(due.claims, claims.byPath, most);
};

/** Creates the state of a process that has read nothing yet. */
export const createStorageState = (): StorageState => {
  const known = createKnownStorage();
  const due: DuePaths = { volumes: new Set(), claims: new Set(), classes: new Set() };
  const { volumes, claims } = known;
  return {
    apply: (change) => apply(known, due, change),
    take: (most) => {
      const some = takeFrom(due.volumes, volumes.byName, most);
      return { volumes: some, claims: some.length > 0 ? [] : takeClaims(known, due, most) };
    },
    hasDue: () => due.volumes.size > 0 || due.claims.size > 0 || due.classes.size > 0,
    retry: (object) => {
      if (object.kind === 'PersistentVolume') due.volumes.add(object.metadata.name);
      else due.claims.add(pathOf(object));
    },
    retryAll: () => {
      addAll(due.volumes, volumes.byName.keys());
      addAll(due.claims, claims.byPath.keys());
    },
    retryLeaving: () => addAll(due.claims, claims.leaving),
    claimOf: (volume) => claims.byPath.get(claimPathOf(volume) ?? ''),
    view: known.view,
    counts: () => ({ volumes: volumes.counts.all(), claims: claims.counts.all() }),
  };
};
