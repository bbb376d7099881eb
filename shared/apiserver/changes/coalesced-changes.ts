/**
 * Computes the changes between two scans of a resource that has no change log, such as Leases and Zones: several changes of one
 * object become one.
 */
import type { ApiObject } from '../../kube/types/meta.ts';
import type { ChangeType, WatchChange } from './change.ts';
import type { Scan, Scanned } from './scan.ts';

interface Found extends WatchChange {
  readonly version: number;
}

const versioned = (object: ApiObject, version: number): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: String(version) },
});

const found = (
  type: ChangeType,
  version: number,
  object: ApiObject,
  { position, previous }: { readonly position: number; readonly previous?: ApiObject | undefined },
): Found => ({
  type,
  version,
  object: versioned(object, version),
  position,
  previous: () => previous && versioned(previous, version),
});

const isSame = (a: ApiObject, b: ApiObject): boolean => a.metadata.uid === b.metadata.uid;

const between = (was: Scanned | undefined, is: Scanned | undefined, position: number): readonly Found[] => {
  const [before, after] = [was?.object, is?.object];
  const version = is?.version ?? position;
  if (!after) return before ? [found('DELETED', version, before, { position })] : [];
  if (!before) return [found('ADDED', version, after, { position })];
  if (was?.version === version) return [];
  if (isSame(before, after)) return [found('MODIFIED', version, after, { position, previous: before })];
  return [found('DELETED', version, before, { position }), found('ADDED', version, after, { position })];
};

const inOrder = (changes: readonly Found[]): readonly WatchChange[] =>
  changes.toSorted((a, b) => a.version - b.version);

type Pair = readonly [before: Scanned | undefined, after: Scanned | undefined];

/**
 * The changes of these pairs: one per object that differs, however often it changed; objects that vanished are
 * DELETED.
 */
export const changesOf = (pairs: readonly Pair[], position: number): readonly WatchChange[] =>
  inOrder(pairs.flatMap(([before, after]) => between(before, after, position)));

/** The changes between two scans of all objects. */
export const changesBetween = (before: Scan, after: Scan, position: number): readonly WatchChange[] => {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return changesOf(
    [...paths].map((path) => [before.get(path), after.get(path)]),
    position,
  );
};

/** The changes since an earlier version, as far as a single scan shows them. */
export const changesSince = (scan: Scan, version: number, position: number): readonly WatchChange[] =>
  inOrder(
    [...scan.values()]
      .filter((one) => one.version > version)
      .map(({ object, remains, createdAt, version: own }) => {
        if (!object) return found('DELETED', own, remains, { position });
        const type = createdAt > version ? 'ADDED' : 'MODIFIED';
        return found(type, own, object, { position, previous: object });
      }),
  );
