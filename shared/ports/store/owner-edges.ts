import type { EdgeFlags } from '../../rules/owners/owner-edges.ts';
import type { ObjectKey } from './rows.ts';

/** An object that names an owner, by its edge. */
export interface Dependent extends EdgeFlags {
  readonly key: ObjectKey;
  /** Uid of the dependent. */
  readonly uid: string;
}

/** Which dependents to read. */
export interface DependentsQuery {
  /** Uid of the owner. */
  readonly owner: string;
  /** Plural of one resource, such as `pods`; absent: dependents of all kinds. */
  readonly resource?: string;
  /** Where to go on: `next` of the page before. */
  readonly after?: string;
  /** Dependents to return at most; fewer may come. */
  readonly limit: number;
}

/** Some of the dependents of an owner. Their order is fixed: one resource after the other. */
export interface DependentsPage {
  readonly dependents: readonly Dependent[];
  /** `after` of the next page; `undefined`: the end. */
  readonly next?: string;
}

/**
 * Owner edges: an item per owner reference of each stored object, put and removed in the commit of the object that carries the
 * reference (see `Commit.edges`). So "which objects name this uid as owner?" needs no index that lags. Leases and Events have no
 * edges. An object without owner references costs nothing.
 *
 * What a reader must know:
 * - An edge is a hint to an object, which may have changed since: read the object by its key, and decide by its uid and its
 *   references. A write that follows is conditional on the row that was read. Whoever decides by `summary` instead looks again after
 *   `ObjectStore.lag.tableMs`.
 * - Reads are consistent, but for up to `ObjectStore.lag.tableMs` a page may show one half of a transaction without the other: an
 *   edge may be missing although its object is visible, or be there although its object is not. Who must not miss one (a
 *   controller that fills gaps) reads again after that time, or orders its own writes by a lease.
 * - Objects that are older than the edges get theirs by a sweep. Until `areComplete`, a page may lack dependents, so a
 *   controller that would act on a missing one waits for it.
 *
 * Throws `StatusError` 429 when throttled for longer than the adapter retries.
 */
export interface OwnerEdgeStore {
  /** One page of the dependents of an owner. */
  dependents(query: DependentsQuery): Promise<DependentsPage>;
  /** Whether every stored object has its edges, because a sweep over all objects has ended. Stays `true`. */
  areComplete(): Promise<boolean>;
  /** Stores that a sweep over all objects has ended. */
  complete(): Promise<void>;
}
