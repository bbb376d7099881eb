/** Adopts and releases the children of an owner, within its turn. */
import type { ApiObject, LabelSelector } from '../../shared/kube/types/meta.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { adopted, claimChild, released } from '../../shared/rules/workloads/children/children.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import { AT_ONCE, type ChildDeps, type ChildWrite, changeChild } from './children.ts';

/** An owner as it was read. */
export interface OwnerRow {
  readonly row: LiveRow;
  readonly owner: ApiObject & { readonly spec?: { readonly selector?: LabelSelector } };
}

type Child = Pick<LiveRow, 'key' | 'uid'>;

/** Children to adopt and to release. */
export interface ChildClaims {
  readonly adopt: readonly Child[];
  readonly release: readonly Child[];
}

/** How a child changes when an owner adopts or releases it. */
export interface ClaimChanges<T extends ApiObject> {
  readonly adopted: (owner: ApiObject, child: T) => T;
  readonly released: (owner: ApiObject, child: T) => T;
}

/** Adopts and releases children. Each adoption requires the owner as it was read, so they go one after the other. Throws `TurnLost`. */
export const claimRows = async <T extends ApiObject>(
  deps: Pick<ChildDeps, 'writer'>,
  { owner, row }: OwnerRow,
  { adopt, release }: ChildClaims,
  write: ChildWrite,
  changes: ClaimChanges<T> = { adopted, released },
): Promise<void> => {
  const whileThere = { ...write, rows: [{ key: row.key, revision: row.revision }] };
  const isOrphan = (child: T): boolean => claimChild(owner, owner.spec?.selector, child) === 'adopt';
  for (const child of adopt)
    await changeChild(
      deps,
      child,
      (stored: T) => (isOrphan(stored) ? changes.adopted(owner, stored) : stored),
      whileThere,
    );
  await inParallel(release, AT_ONCE, (child) =>
    changeChild(deps, child, (stored: T) => changes.released(owner, stored), write),
  );
};

/** The rows of children, out of rows by uid. */
export const rowsOf = <R>(rows: ReadonlyMap<string, R>, children: readonly ApiObject[]): readonly R[] =>
  children.flatMap(({ metadata }) => rows.get(metadata.uid ?? '') ?? []);
