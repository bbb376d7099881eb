/** What happened between two scans of a resource that keeps no log. */
import type { ApiObject } from '../../api/meta.ts';
import type { ChangeType, WatchChange } from './change.ts';

/** An object as a scan found it; without `object` it was deleted, and this is what is left. */
export interface Scanned {
  readonly path: string;
  readonly version: number;
  readonly object?: ApiObject | undefined;
  /** What a deletion shows of an object that nobody here has seen. */
  readonly remains: ApiObject;
  /** When the object was created, ms. */
  readonly createdAt: number;
}

export type Scan = ReadonlyMap<string, Scanned>;

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

/** Every object of these that is not as it was, once, however often it changed; those that vanished are DELETED. */
export const changesOf = (pairs: readonly Pair[], position: number): readonly WatchChange[] =>
  inOrder(pairs.flatMap(([before, after]) => between(before, after, position)));

/** The same of all objects of two scans. */
export const changesBetween = (before: Scan, after: Scan, position: number): readonly WatchChange[] => {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return changesOf(
    [...paths].map((path) => [before.get(path), after.get(path)]),
    position,
  );
};

/** What a scan tells somebody who knows the state of an earlier version, and no more than that. */
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
